import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Compares in constant time, whatever the lengths. */
export function sameSecret(a: string, b: string): boolean {
  const key = randomBytes(32);
  const digest = (text: string): Buffer => createHmac("sha256", key).update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/**
 * What opens the door: the token for our own CLI, and a cookie for browsers that follows from the token, so that it
 * outlives a restart and dies with `token rotate`. The token itself never leaves in an answer.
 */
export interface Credentials {
  readonly token: () => string;
  readonly rotate: (token: string) => void;
  readonly cookieName: string;
  readonly cookieValue: () => string;
  readonly isToken: (candidate: string) => boolean;
  readonly isCookie: (candidate: string) => boolean;
}

export function createCredentials(initial: string, port: number): Credentials {
  let token = initial;
  const cookieValue = (): string =>
    createHmac("sha256", token).update("multiverse browser session").digest("base64url");
  return {
    token: () => token,
    rotate: (next) => void (token = next),
    // Cookies do not know ports: two servers on one machine must not overwrite each other's.
    cookieName: `multiverse-${port}`,
    cookieValue,
    isToken: (candidate) => sameSecret(candidate, token),
    isCookie: (candidate) => sameSecret(candidate, cookieValue()),
  };
}
