import { MultiverseError } from "@multiverse/protocol/error";

export interface Endpoint {
  readonly url: string;
  /** The base URL without what may be secret in it: user, password, query. */
  readonly shown: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where completions are asked for. A user and password in the base URL become a header, unless there is a key. */
export function endpointOf(baseUrl: string, apiKey: string | null): Endpoint {
  const url = parsed(baseUrl);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  url.hash = "";
  const shown = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`;
  if (apiKey !== null)
    return { url: url.href, shown, headers: { authorization: `Bearer ${usable(apiKey)}` } };
  if (username === "" && password === "") return { url: url.href, shown, headers: {} };
  const pair = `${decoded(username)}:${decoded(password)}`;
  const basic = `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
  return { url: url.href, shown, headers: { authorization: basic } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that stands for itself
  }
}

function parsed(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new MultiverseError("META_UNAVAILABLE", "OPENAI_BASE_URL is not an http or https address", {
    hint: "Set OPENAI_BASE_URL to an address such as https://api.openai.com/v1, or unset it.",
  });
}

function usable(key: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new MultiverseError(
    "META_KEY_MISSING",
    "OPENAI_API_KEY holds characters that no key has, such as a space or a line break",
    { hint: "Set OPENAI_API_KEY to the key alone, on one line." },
  );
}
