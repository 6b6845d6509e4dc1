import { parentPort } from "node:worker_threads";
import { PlugData, PlugTemplate } from "#template";

/** Renders templates as Plugs do, in a thread whose heap is small, and says how each ended. */
parentPort?.on("message", (text: string) => parentPort?.postMessage(endingOf(text)));

function endingOf(text: string): string {
  const data = new PlugData({ name: "web", list: Array.from({ length: 1_000 }, (_, index) => index) });
  try {
    new PlugTemplate(text).render(data);
    return "it ended well";
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
