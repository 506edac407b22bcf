/** The system's word for what went wrong (`ENOENT`, `EACCES`, `ECONNREFUSED` …); empty where an error has none. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
