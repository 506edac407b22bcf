import type { ZodError } from "zod";

/** What is wrong with a form or a file: the path of each wrong field and why. */
export const problems = (error: ZodError): string[] =>
  error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
