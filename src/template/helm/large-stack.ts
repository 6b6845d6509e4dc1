import { InputError } from "#base";
import { ChartError } from "./chart-error.ts";

/** The last argument of a thread that `LargeStack` started. */
const marker = "tenon:large-stack";

/** Of the thread: Go's limit is a gigabyte, and 1,000 includes with rich bodies take about 4 MB here. */
const stackSizeMb = 64;
/** Ends only a wait for a thread that died without an answer; the work itself is bounded in steps. */
const longestWaitMs = 30 * 60_000;

interface Failure {
  readonly what: string;
  readonly where?: string | undefined;
  readonly next?: string | undefined;
  readonly helmMessage?: string | undefined;
}

type Answer<Result> = { readonly result: Result } | { readonly failure: Failure } | { readonly error: unknown };

function threads() {
  return process.getBuiltinModule("node:worker_threads");
}

/**
 * Runs a function in a thread with a larger stack, and waits for it. JavaScript's own stack, of about a megabyte, can only be made
 * larger when a thread starts. Requests and results are copied. The thread loads the module that makes this object, which it must do
 * last: there it answers the request.
 */
export class LargeStack<Request, Result> {
  readonly #module: string;

  constructor(module: string, serve: (request: Request) => Result) {
    this.#module = module;
    if (process.argv.at(-1) === marker && !threads().isMainThread) this.#answer(serve);
  }

  #answer(serve: (request: Request) => Result): void {
    const { request, port, flag } = threads().workerData;
    try {
      port.postMessage(answerTo(() => serve(request)));
    } catch (error) {
      port.postMessage({ error: String(error) });
    } finally {
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    }
  }

  call(request: Request): Result {
    const { MessageChannel, receiveMessageOnPort, Worker } = threads();
    const { port1, port2 } = new MessageChannel();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL(this.#module), {
      argv: [marker],
      workerData: { request, port: port2, flag },
      transferList: [port2],
      resourceLimits: { stackSizeMb },
    });
    worker.unref();
    Atomics.wait(flag, 0, 0, longestWaitMs);
    const answer: Answer<Result> = receiveMessageOnPort(port1)?.message ?? { error: "the thread gave no answer" };
    port1.close();
    void worker.terminate();
    return resultOf(answer);
  }
}

function resultOf<Result>(answer: Answer<Result>): Result {
  if ("result" in answer) return answer.result;
  if ("error" in answer) throw new Error("rendering with a larger stack failed", { cause: answer.error });
  const { what, where, next, helmMessage } = answer.failure;
  const details = { ...(where !== undefined && { where }), ...(next !== undefined && { next }) };
  throw helmMessage === undefined ? new InputError(what, details) : new ChartError(what, { ...details, helmMessage });
}

function answerTo<Result>(act: () => Result): Answer<Result> {
  try {
    return { result: act() };
  } catch (error) {
    if (!(error instanceof InputError)) return { error };
    const helmMessage = error instanceof ChartError ? error.helmMessage : undefined;
    return { failure: { what: error.what, where: error.where, next: error.next, helmMessage } };
  }
}
