import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";

/**
 * Keeps two processes from building the same thing at once. The lock is a socket in Linux's abstract namespace: the
 * kernel frees it when its holder ends, however it ends, and closes the connections of the processes that wait for it.
 */
export async function takeBuildLock(path: string, onWait: () => void, signal: AbortSignal): Promise<AsyncDisposable> {
  const name = `\0tenon-build-${process.getuid?.()}-${createHash("sha256").update(path).digest("hex").slice(0, 20)}`;
  for (;;) {
    signal.throwIfAborted();
    const server = await listen(name);
    if (server) {
      const waiting = new Set<{ destroy(): void }>();
      server.on("connection", (socket) => waiting.add(socket.on("error", () => socket.destroy())));
      return {
        async [Symbol.asyncDispose]() {
          for (const socket of waiting) socket.destroy();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    }
    onWait();
    signal.throwIfAborted();
    await holderEnds(name, signal);
  }
}

async function listen(name: string): Promise<Server | undefined> {
  const server = createServer();
  try {
    await once(server.listen(name), "listening");
    return server;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return undefined;
    throw error;
  }
}

async function holderEnds(name: string, signal: AbortSignal): Promise<void> {
  const socket = connect(name);
  const onAbort = () => socket.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  socket.on("error", () => {}); // refused: the holder has just ended, which is what we wait for
  await new Promise((resolve) => socket.once("close", resolve));
  signal.removeEventListener("abort", onAbort);
}
