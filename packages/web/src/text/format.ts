/** Numbers and times in words short enough for a card. */

export function duration(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 3600) return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
  return `${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, "0")}:${String(s % 60).padStart(2, "0")}`;
}

/** Money with as many digits as still say something. */
export function dollars(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.01) return "<$0.01";
  return `$${usd.toFixed(usd < 100 ? 2 : 0)}`;
}

export const tokens = (n: number): string =>
  n < 1_000 ? String(n) : n < 1_000_000 ? `${trim(n / 1_000)}k` : `${trim(n / 1_000_000)}M`;

const trim = (n: number): string => (n < 10 ? n.toFixed(1).replace(/\.0$/, "") : n.toFixed(0));

export const bytes = (n: number): string =>
  n < 1_024 ? `${n} B` : n < 1_048_576 ? `${trim(n / 1_024)} KB` : `${trim(n / 1_048_576)} MB`;

export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.floor((part / whole) * 100);

export const clockTime = (iso: string, language: string): string =>
  new Date(iso).toLocaleTimeString(language, { hour12: false });

export const exactTime = (iso: string, language: string): string =>
  new Date(iso).toLocaleString(language);

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "3 minutes ago"; the exact time belongs into the tooltip. */
export function relativeTime(iso: string, now: number, language: string): string {
  const delta = Date.parse(iso) - now;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "narrow" });
  for (const [unit, ms] of STEPS)
    if (Math.abs(delta) >= ms) return format.format(Math.round(delta / ms), unit);
  return format.format(Math.round(Math.min(0, delta) / 10_000) * 10, "second");
}
