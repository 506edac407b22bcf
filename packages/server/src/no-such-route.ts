import type { Context } from "hono";

interface Route {
  readonly method: string;
  readonly path: string;
}

/** 405 with the methods that there are, or 404: nothing is done by a method that was not meant. */
export function noSuchRoute(c: Context, routes: readonly Route[]): Response {
  const allowed = [
    ...new Set(routes.filter((route) => matches(route, c.req.path)).map(({ method }) => method)),
  ];
  const said = `${c.req.method} ${c.req.path}`.slice(0, 300);
  const hint = "The OpenAPI document at /api/v1/openapi.json lists every route.";
  if (allowed.length === 0)
    return c.json({ error: { code: "NOT_FOUND", message: `there is no ${said}`, hint } }, 404);
  c.header("allow", allowed.join(", "));
  return c.json(
    { error: { code: "INVALID_INPUT", message: `${said} is not a method of it`, hint } },
    405,
  );
}

function matches({ path }: Route, asked: string): boolean {
  const wanted = path.split("/");
  const given = asked.split("/");
  return (
    !path.includes("*") &&
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith(":") || part === given[index])
  );
}
