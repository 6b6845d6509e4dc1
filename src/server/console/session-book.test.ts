import { expect, test } from "vitest";
import { silentLogger } from "#base";
import { fixedCredentials } from "#kube";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { Person } from "./person.ts";
import { SessionBook } from "./session-book.ts";
import { SharedObjects } from "./shared-objects.ts";
import { type HeldPerson, SharedPersons } from "./shared-persons.ts";

const hour = 3_600_000;

function personAt(clock: FakeClock): HeldPerson {
  const access = {
    context: "test",
    source: "test",
    server: new URL("https://127.0.0.1:1"),
    namespace: "default",
    credentials: fixedCredentials({}),
  };
  const make = () =>
    new Person({
      access,
      isStarter: true,
      candidates: async () => [],
      shared: new SharedObjects(),
      clock,
      log: silentLogger,
    });
  return new SharedPersons().take(undefined, make);
}

test("a link works once, and for a quarter of an hour", async () => {
  const clock = new FakeClock();
  const book = new SessionBook(clock);
  const link = book.createLink();
  expect([book.useLink("another"), book.useLink(link), book.useLink(link)]).toEqual([false, true, false]);
  const late = book.createLink();
  await clock.advance(hour / 4 + 1);
  expect(book.useLink(late)).toBe(false);
});

test("a new link makes the one before worthless", () => {
  const book = new SessionBook(new FakeClock());
  const before = book.createLink();
  const after = book.createLink();
  expect([book.useLink(before), book.useLink(after)]).toEqual([false, true]);
});

test("a session ends after 2 h without use, and after 12 h in any case", async () => {
  const clock = new FakeClock();
  await using book = new SessionBook(clock);
  const idle = await book.start(personAt(clock));
  await clock.advance(2 * hour + 1);
  expect(await book.find(idle)).toBeUndefined();
  const used = await book.start(personAt(clock));
  const session = await book.find(used);
  for (let passed = 0; passed < 12; passed += 1) {
    await clock.advance(hour);
    await book.find(used);
  }
  expect(session?.ended.aborted).toBe(false);
  await clock.advance(1);
  expect([await book.find(used), session?.ended.aborted]).toEqual([undefined, true]);
});

test("a session that was ended is not found, and what it has open ends", async () => {
  const clock = new FakeClock();
  await using book = new SessionBook(clock);
  const key = await book.start(personAt(clock));
  const session = await book.find(key);
  await book.end(key);
  expect([await book.find(key), session?.ended.aborted]).toEqual([undefined, true]);
});

test("of too many sessions, the one unused for longest ends", async () => {
  const clock = new FakeClock();
  await using book = new SessionBook(clock);
  const keys: string[] = [];
  for (let index = 0; index < 200; index += 1) {
    keys.push(await book.start(personAt(clock)));
    await clock.advance(1);
  }
  await book.find(keys[0] ?? "");
  await clock.advance(1);
  await book.start(personAt(clock));
  expect(await book.find(keys[0] ?? "")).toBeDefined();
  expect(await book.find(keys[1] ?? "")).toBeUndefined();
});
