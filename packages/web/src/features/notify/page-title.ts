import type { Execution } from "@multiverse/protocol/execution";
import type { PlanView } from "../../workspace/plan-view.ts";

const SIGN = { RUNNING: "▶", PAUSED: "⏸", IDLE: "" } as const;

/** `▶ 3/12 my-project`: the tab tells how far the work is. */
export function pageTitle(
  name: string,
  plan: PlanView,
  execution: Execution,
  questions: number,
): string {
  if (plan.total === 0) return name === "" ? "multiverse" : `${name} · multiverse`;
  const sign = questions > 0 ? "?" : plan.done === plan.total ? "✓" : SIGN[execution.status];
  return [sign, `${plan.done}/${plan.total}`, name].filter(Boolean).join(" ");
}

/** A ring as a picture for the tab: how much is done, and in red when something failed. */
export function drawRing(
  context: CanvasRenderingContext2D,
  size: number,
  share: number,
  colours: { track: string; ring: string },
): void {
  const middle = size / 2;
  const width = size * 0.18;
  const turn = (from: number, to: number, colour: string) => {
    context.beginPath();
    context.arc(middle, middle, middle - width, from - Math.PI / 2, to - Math.PI / 2);
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.stroke();
  };
  context.clearRect(0, 0, size, size);
  turn(0, 2 * Math.PI, colours.track);
  if (share > 0) turn(0, 2 * Math.PI * share, colours.ring);
}
