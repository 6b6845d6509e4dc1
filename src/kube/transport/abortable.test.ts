import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { abortable } from "./abortable.ts";

describe("abortable", () => {
  it("ends the wait, not the work", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const controller = new AbortController();
    const impatient = abortable(promise, controller.signal);
    const patient = abortable(promise, new AbortController().signal);
    controller.abort("enough");
    await expect(impatient).rejects.toBe("enough");
    resolve("done");
    expect(await patient).toBe("done");
  });

  it("does not begin to wait for a signal that is aborted", async () => {
    await expect(abortable(new Promise(() => {}), AbortSignal.abort("before"))).rejects.toBe("before");
  });

  it("passes a failure on, and leaves no listener behind", async () => {
    const { signal } = new AbortController();
    await expect(abortable(Promise.reject(new Error("odd")), signal)).rejects.toThrow("odd");
    await abortable(Promise.resolve(1), signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});
