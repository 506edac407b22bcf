import fc from "fast-check";
import { expect, test } from "vitest";
import { projectPath } from "./project-path.ts";

test.each([
  ["src/a.ts", "src/a.ts"],
  ["./src//a.ts", "src/a.ts"],
  ["src/x/../a.ts", "src/a.ts"],
  ["/home/me/app/src/a.ts", "src/a.ts"],
  ["src\\a.ts", "src/a.ts"],
  ["docs/", "docs/"],
  [".", "."],
])("%j is %j in the project", (path, expected) => {
  expect(projectPath(path, "/home/me/app")).toBe(expected);
});

test.each(["../x", "src/../../x", "/etc/passwd", "/home/me/app2/x", "C:/x", "a\0b"])(
  "%j leaves the project",
  (path) => {
    expect(() => projectPath(path, "/home/me/app")).toThrow(/leaves the project/);
  },
);

const accepted = (path: string): string | null => {
  try {
    return projectPath(path, "/p");
  } catch {
    return null;
  }
};

test("what is accepted never climbs out", () => {
  const part = fc.constantFrom("a", "b", "..", ".", "", "c.ts");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      expect(accepted(parts.join("/"))?.split("/") ?? []).not.toContain("..");
    }),
  );
});
