import { z } from "zod";
import { LIMITS } from "./limits.ts";

/** Ids become file names, so the pattern is what every file system takes without surprises. */
const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Device names of Windows and property names of JavaScript: legal by the pattern, dangerous as a file or a key. */
const PORTS = Array.from({ length: 10 }, (_, i) => [`com${i}`, `lpt${i}`]).flat();
const RESERVED = new Set([
  "con",
  "prn",
  "aux",
  "nul",
  ...PORTS,
  "__proto__",
  "constructor",
  "prototype",
  "hasownproperty",
  "tostring",
  "valueof",
]);

/** Why an id from outside is refused, or undefined if it is fine. */
export function idProblem(id: string): string | undefined {
  if (id.length > LIMITS.idLength) return `is longer than ${LIMITS.idLength} characters`;
  if (!ID_PATTERN.test(id))
    return "must start with a letter or digit and hold only letters, digits, '.', '_' and '-'";
  if (id.includes("..")) return "must not contain '..'";
  if (id.endsWith(".")) return "must not end in '.'";
  const stem = id.toLowerCase().split(".")[0] ?? "";
  if (RESERVED.has(stem) || RESERVED.has(id.toLowerCase())) return "is a reserved name";
  return undefined;
}

/** An id given from outside: checked before it can become a path, a key or a container name. */
export const Id = z.string().superRefine((id, ctx) => {
  const problem = idProblem(id);
  if (problem)
    ctx.addIssue({ code: "custom", message: `id ${JSON.stringify(id.slice(0, 140))} ${problem}` });
});

/** Two ids that differ only in case would be one file on some disks. */
export const foldId = (id: string): string => id.toLowerCase();
