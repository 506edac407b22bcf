const MASKED = "***";
/** Shorter values are words and numbers that occur everywhere; masking them would only garble the text. */
const SHORTEST = 4;
const SHORTEST_PART = 8;

/** Hides known secret values in whatever is about to be written or sent. */
export interface Mask {
  mask(text: string): string;
  /** Every string in a JSON-like value, names included. */
  maskDeep<T>(value: T): T;
  /** For text that comes in pieces: a secret split over two of them is still found. */
  stream(): MaskStream;
}

export interface MaskStream {
  push(chunk: string): string;
  end(): string;
}

/**
 * Masks the values themselves and the forms they travel in: base64, hex, URL-encoded, escaped in JSON. `words` are the names
 * and fixed words of a format: a value that is one of them cannot be hidden, and a string in data that is exactly one of
 * them stays.
 */
export function createMask(values: Iterable<string>, words: ReadonlySet<string> = new Set()): Mask {
  const hidden = [...values].filter((value) => !words.has(value.trim()));
  const forms = [...new Set(hidden.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const pattern = forms.length > 0 ? new RegExp(forms.map(escapeRegExp).join("|"), "g") : null;
  const mask = (text: string): string => (pattern ? text.replace(pattern, MASKED) : text);
  return {
    mask,
    maskDeep: (value) => maskDeep(value, (text) => (words.has(text) ? text : mask(text))),
    stream: () => maskStream(forms, mask),
  };
}

export const noMask: Mask = createMask([]);

const SECRET_NAME = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD)$/i;

/** Whether a variable's name says that its value is a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** The values of an environment whose names say that they are secret. */
export const secretsOf = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(env).flatMap(([name, value]) => (value && isSecretName(name) ? [value] : []));

function formsOf(value: string): string[] {
  const secret = value.trim();
  if (secret.length < SHORTEST) return [];
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length > 1 ? lines.filter((line) => line.length >= SHORTEST_PART) : [];
  return [secret, ...parts].flatMap((text) => {
    const escaped = JSON.stringify(text).slice(1, -1);
    const url = encodeURIComponent(text);
    return [
      text,
      escaped,
      JSON.stringify(escaped).slice(1, -1),
      url,
      url.replaceAll("%20", "+"),
      url.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
      ...hexFormsOf(text),
      ...base64FormsOf(text),
    ];
  });
}

function hexFormsOf(text: string): string[] {
  const hex = Buffer.from(text, "utf8").toString("hex");
  return [hex, hex.toUpperCase()];
}

/**
 * Base64 depends on where in its surroundings the secret begins (`user:secret` is one text), so each of the three
 * alignments is a form of its own, without the characters that also carry bits of the neighbours.
 */
function base64FormsOf(text: string): string[] {
  const bytes = Buffer.from(text, "utf8");
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const start = offset === 0 ? 0 : offset + 1;
    const isWholeAtEnd = (bytes.length + offset) % 3 === 0;
    const inner = encoded.slice(start, isWholeAtEnd ? undefined : -1);
    if (inner.length < SHORTEST_PART) return offset === 0 ? base64Alphabets(encoded) : [];
    return base64Alphabets(inner);
  });
}

const base64Alphabets = (text: string): string[] => [
  text,
  text.replaceAll("+", "-").replaceAll("/", "_"),
];

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

function maskDeep<T>(value: T, mask: (text: string) => string): T {
  const walk = (inner: unknown): unknown => {
    if (typeof inner === "string") return mask(inner);
    if (Array.isArray(inner)) return inner.map(walk);
    if (inner === null || typeof inner !== "object") return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, each]) => [mask(key), walk(each)]));
  };
  return walk(value) as T;
}

function maskStream(forms: readonly string[], mask: (text: string) => string): MaskStream {
  let held = "";
  const longest = forms[0]?.length ?? 0;

  /** Where the text may be the beginning of a secret whose rest has not come yet. */
  function openFrom(text: string, from: number): number {
    for (let i = Math.max(from, text.length - longest + 1); i < text.length; i++) {
      const tail = text.slice(i);
      if (forms.some((form) => form.length > tail.length && form.startsWith(tail))) return i;
    }
    return text.length;
  }

  /** The end of a secret that begins before `border` and reaches over it; `border` if there is none. */
  function pastSecretAt(text: string, border: number): number {
    for (let i = Math.max(0, border - longest + 1); i < border; i++) {
      const whole = forms.find((form) => i + form.length > border && text.startsWith(form, i));
      if (whole !== undefined) return i + whole.length;
    }
    return border;
  }

  return {
    push(chunk) {
      const text = held + chunk;
      let border = openFrom(text, 0);
      for (
        let past = pastSecretAt(text, border);
        past !== border;
        past = pastSecretAt(text, border)
      ) {
        border = openFrom(text, past);
      }
      held = text.slice(border);
      return mask(text.slice(0, border));
    },
    end() {
      const rest = mask(held);
      held = "";
      return rest;
    },
  };
}
