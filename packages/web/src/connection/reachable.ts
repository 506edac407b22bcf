/** Whether a server answers at the page's own address, whatever it answers. */
export const isReachable = (): Promise<boolean> =>
  fetch("/", { method: "HEAD", cache: "no-store" }).then(
    () => true,
    () => false,
  );
