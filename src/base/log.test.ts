import { describe, expect, it, vi } from "vitest";
import { FakeClock } from "./fake-clock.fixture.ts";
import { createLogger, type LoggerOptions } from "./log.ts";
import { silentLogger } from "./silent-logger.ts";
import { Secret } from "./secret.ts";

function memoryLogger(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const clock = new FakeClock(Date.UTC(2026, 7, 21));
  const logger = createLogger({ level: "debug", destination, clock, ...options });
  return { logger, lines, parsed: (): unknown[] => lines.map((line) => JSON.parse(line)) };
}

describe("createLogger", () => {
  it("writes a line of JSON with time, level, message and fields", () => {
    const { logger, lines } = memoryLogger();
    logger.info("applied", { cluster: "a", objects: 3 });
    expect(lines).toEqual([
      '{"level":"info","time":"2026-08-21T00:00:00.000Z","cluster":"a","objects":3,"msg":"applied"}\n',
    ]);
  });

  it("writes the message as it is", () => {
    const { logger, parsed } = memoryLogger();
    logger.warn("50%s of\nthem", { fields: ["%d", 1] });
    expect(parsed()).toMatchObject([{ level: "warn", msg: "50%s of\nthem", fields: ["%d", 1] }]);
  });

  it("leaves out what is below its level", () => {
    const { logger, parsed } = memoryLogger({ level: "warn" });
    logger.debug("a");
    logger.info("b");
    logger.warn("c");
    logger.error("d");
    expect(parsed()).toMatchObject([{ msg: "c" }, { msg: "d" }]);
  });

  it("adds the fields of a child to each of the child's lines", () => {
    const { logger, parsed } = memoryLogger();
    logger
      .child({ job: "couple" })
      .child({ plug: "a/b", error: new Error("odd") })
      .info("coupled", { attempt: 1 });
    expect(parsed()).toMatchObject([
      { job: "couple", plug: "a/b", error: { message: "odd" }, attempt: 1, msg: "coupled" },
    ]);
  });

  it("writes to stderr by default", () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    createLogger().info("started");
    createLogger().debug("not at this level");
    expect(write.mock.calls).toEqual([[expect.stringContaining('"msg":"started"')]]);
    write.mockRestore();
  });
});

describe("errors in a log line", () => {
  it.each(["err", "error", "reason"])("are written with name, message, stack and cause as %s", (field) => {
    const { logger, parsed } = memoryLogger();
    const error = new TypeError("outer", { cause: new Error("inner") });
    logger.error("failed", { [field]: error });
    const cause = { name: "Error", message: "inner", stack: expect.stringMatching(/^Error: inner\n +at /) };
    expect(parsed()).toMatchObject([
      { msg: "failed", [field]: { name: "TypeError", message: "outer", stack: expect.any(String), cause } },
    ]);
  });

  it("are written in lists and aggregates too", () => {
    const { logger, parsed } = memoryLogger();
    logger.error("failed", { failures: [new Error("a"), new AggregateError([new Error("b")], "c")] });
    expect(parsed()).toMatchObject([{ failures: [{ message: "a" }, { message: "c", errors: [{ message: "b" }] }] }]);
  });

  it("may be their own cause", () => {
    const { logger, parsed } = memoryLogger();
    const error = new Error("odd");
    error.cause = error;
    logger.error("failed", { error });
    expect(parsed()).toMatchObject([{ error: { message: "odd", cause: "[circular]" } }]);
  });
});

describe("secrets in a log line", () => {
  const secret = new Secret('pa"ss\\word');

  it.each([
    { reason: "the message", message: `login with ${secret.reveal()} failed`, fields: {} },
    { reason: "a field", message: "failed", fields: { password: secret.reveal() } },
    { reason: "a field's name", message: "failed", fields: { [secret.reveal()]: 1 } },
    { reason: "a deep field", message: "failed", fields: { a: [{ b: secret.reveal() }] } },
    { reason: "a quoted response", message: "failed", fields: { body: JSON.stringify({ password: secret.reveal() }) } },
    { reason: "an error", message: "failed", fields: { error: new Error(secret.reveal()) } },
    { reason: "a cause", message: "failed", fields: { error: new Error("a", { cause: new Error(secret.reveal()) }) } },
    { reason: "a Secret", message: "failed", fields: { secret, deep: { secret } } },
  ])("are masked in $reason", ({ message, fields }) => {
    const { logger, lines, parsed } = memoryLogger();
    logger.error(message, fields);
    logger.child(fields).error(message);
    expect(lines.join("")).not.toMatch(/ss.{1,7}word/);
    expect(lines.join("")).toContain("***");
    expect(parsed()).toHaveLength(2);
  });

  it("are masked in a child made before they were known", () => {
    const { logger, parsed } = memoryLogger();
    const child = logger.child({ text: "late secret" });
    const late = new Secret("late secret");
    child.info("used", { late });
    expect(parsed()).toMatchObject([{ text: "***", late: "***" }]);
  });

  it.each([
    { reason: "is a number", value: "1234567", fields: { count: 12_345_678 } },
    { reason: "is the text of an object", value: '{"auth":"x"}', fields: { config: { auth: "x" } } },
    { reason: "looks like half an escape", value: "n-tail", fields: { text: "\n-tail" } },
  ])("leave a line of JSON when a value $reason", ({ value, fields }) => {
    const { logger, lines, parsed } = memoryLogger();
    const odd = new Secret(value);
    logger.info("counted", fields);
    expect(parsed()).toMatchObject([{ level: "warn", msg: expect.stringContaining("counted") }]);
    expect(lines.join("")).not.toContain(odd.reveal());
    expect(lines.join("")).toMatch(/\n$/);
  });
});

describe("silentLogger", () => {
  it("writes nothing, nor do its children", () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    silentLogger.error("a");
    silentLogger.child({ b: 1 }).error("c");
    expect(write).not.toHaveBeenCalled();
    write.mockRestore();
  });
});
