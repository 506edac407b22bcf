import createPurifier from "dompurify";
import { marked } from "marked";

/**
 * Markdown from models, workers and repositories: rendered without raw HTML, then through a sanitiser. Only http(s) and
 * mail links survive, and no image is loaded, since an address can carry data out.
 */
const TAGS =
  "a b blockquote br code del details em h1 h2 h3 h4 h5 h6 hr i input li ol p pre s strong summary table tbody td th thead tr ul".split(
    " ",
  );

export function renderMarkdown(source: string): DocumentFragment {
  const html = marked.parse(source, {
    async: false,
    gfm: true,
    breaks: true,
    walkTokens: (token) => {
      // Raw HTML is shown as the text it is; an image becomes its description.
      if (token.type === "html") Object.assign(token, { type: "text", escaped: false });
      if (token.type === "image") Object.assign(token, { type: "text", text: `🖼 ${token.text}` });
    },
  });
  const fragment = createPurifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "title", "align", "start", "type", "checked", "disabled", "open"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
  }
  // A task list's boxes say something; they are not there to be clicked.
  for (const box of fragment.querySelectorAll("input"))
    box.replaceWith(box.hasAttribute("checked") ? "☑ " : "☐ ");
  for (const block of fragment.querySelectorAll("pre, table")) block.setAttribute("tabindex", "0");
  return fragment;
}
