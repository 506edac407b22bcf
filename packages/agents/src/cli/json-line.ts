/** A line of an event stream as an object; null for anything else (a log line, half an event, a bare value). */
export function jsonLine(line: string): object | null {
  const text = line.trim();
  if (!text.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
