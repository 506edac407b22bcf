/** The only page that is there before anyone has signed in. It holds no data; script and style are files of their own. */
export const LOGIN_HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Multiverse: sign in</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/login.css" />
    <script src="/login.js" defer></script>
  </head>
  <body>
    <main>
      <h1>Multiverse</h1>
      <p id="message" role="status">Signing in…</p>
      <form id="form" hidden>
        <label for="code">One-time code or password</label>
        <input id="code" type="password" autocomplete="off" required />
        <button type="submit">Sign in</button>
      </form>
      <noscript><p>This page needs JavaScript.</p></noscript>
    </main>
  </body>
</html>
`;

export const LOGIN_SCRIPT = `"use strict";
const message = document.getElementById("message");
const form = document.getElementById("form");
const field = document.getElementById("code");

function ask(text) {
  message.textContent = text;
  form.hidden = false;
  field.focus();
}

async function signIn(code) {
  form.hidden = true;
  message.textContent = "Signing in\\u2026";
  try {
    const answer = await fetch("/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    if (answer.ok) return location.replace("/");
    ask(
      answer.status === 429
        ? "Too many tries. Wait a minute, then try again."
        : "This link has been used or is out of date. Run multiverse in a terminal for a new one.",
    );
  } catch {
    ask("The server does not answer. Is it still running?");
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void signIn(field.value.trim());
});

const code = new URLSearchParams(location.hash.slice(1)).get("code");
// The code must not stay in the address bar or the history.
history.replaceState(null, "", location.pathname);
if (code) void signIn(code);
else ask("Run multiverse in a terminal and open the link it prints, or enter a code.");
`;

export const LOGIN_STYLE = `:root { color-scheme: dark; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center;
  background: #16181d; color: #eceff4; font: 16px/1.5 system-ui, sans-serif;
}
main { width: min(26rem, calc(100vw - 2rem)); }
h1 { font-size: 1.5rem; margin: 0 0 0.5rem; }
form { display: grid; gap: 0.5rem; }
form[hidden] { display: none; }
input, button { font: inherit; padding: 0.5rem 0.75rem; border-radius: 0.5rem; border: 1px solid #6b7689; }
input { background: #20242c; color: inherit; }
button { background: #88c0d0; color: #16181d; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 2px solid #88c0d0; outline-offset: 2px; }
`;
