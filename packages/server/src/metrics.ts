/** Numbers for Prometheus, in its text format. Counters grow here; gauges are asked for when someone looks. */
export interface Metrics {
  count(name: string, labels?: Labels, by?: number): void;
  render(): string;
}

export type Labels = Readonly<Record<string, string>>;
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly value: number;
  readonly labels?: Labels;
}

/** `gauges` are read at the moment someone looks. */
export function createMetrics(
  help: Readonly<Record<string, string>>,
  gauges: () => readonly Gauge[],
): Metrics {
  const counters = new Map<string, Map<string, number>>();
  return {
    count(name, labels = {}, by = 1) {
      const series = counters.get(name) ?? new Map<string, number>();
      const key = render(labels);
      counters.set(name, series.set(key, (series.get(key) ?? 0) + by));
    },
    render() {
      const lines: string[] = [];
      for (const [name, series] of counters) {
        lines.push(`# HELP ${name} ${help[name] ?? name}`, `# TYPE ${name} counter`);
        for (const [labels, value] of series) lines.push(`${name}${labels} ${value}`);
      }
      let last = "";
      for (const gauge of gauges()) {
        if (gauge.name !== last)
          lines.push(`# HELP ${gauge.name} ${gauge.help}`, `# TYPE ${gauge.name} gauge`);
        last = gauge.name;
        lines.push(`${gauge.name}${render(gauge.labels ?? {})} ${gauge.value}`);
      }
      return `${lines.join("\n")}\n`;
    },
  };
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function render(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (c) => escapes[c] ?? c)}"`,
  );
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}
