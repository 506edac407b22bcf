/** What every answer carries, whatever it is: nothing of ours may be framed, sniffed, embedded or reached from elsewhere. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Positions and sizes that components set on their elements; markup from outside never keeps a style.
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CSP,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/** Sets them on an answer; what is not marked as cacheable is not stored. */
export function secure(headers: Headers): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}
