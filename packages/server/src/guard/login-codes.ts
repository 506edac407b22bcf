import { randomBytes } from "node:crypto";
import { sameSecret } from "./credentials.ts";

/** One-time codes that a browser exchanges for its cookie. Each opens the door once; the oldest are forgotten. */
export interface LoginCodes {
  create(): string;
  /** True once for a code. */
  redeem(code: string): boolean;
  /** Whether it is the password, where one is set. People choose it, so how often it is tried has to be limited. */
  isPassword(text: string): boolean;
}

const MOST = 20;

export function createLoginCodes(password: string | null): LoginCodes {
  let codes: string[] = [];
  return {
    create() {
      const code = randomBytes(24).toString("base64url");
      codes = [...codes, code].slice(-MOST);
      return code;
    },
    redeem(code) {
      const found = codes.filter((known) => sameSecret(known, code));
      codes = codes.filter((known) => !found.includes(known));
      return found.length > 0;
    },
    isPassword: (text) => password !== null && sameSecret(password, text),
  };
}
