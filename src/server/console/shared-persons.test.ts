import { expect, test } from "vitest";
import { silentLogger } from "#base";
import { fixedCredentials } from "#kube";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { Person } from "./person.ts";
import { SharedObjects } from "./shared-objects.ts";
import { SharedPersons } from "./shared-persons.ts";

function makePerson(): Person {
  return new Person({
    access: {
      context: "test",
      source: "test",
      server: new URL("https://127.0.0.1:1"),
      namespace: "default",
      credentials: fixedCredentials({}),
    },
    isStarter: false,
    candidates: async () => [],
    shared: new SharedObjects(),
    clock: new FakeClock(),
    log: silentLogger,
  });
}

test("sessions with the same credentials share a person until the last of them ends, and others do not", async () => {
  const persons = new SharedPersons();
  const [one, other] = [persons.take("a", makePerson), persons.take("a", makePerson)];
  expect(other.person).toBe(one.person);
  await using stranger = persons.take("b", makePerson);
  expect(stranger.person).not.toBe(one.person);
  await one[Symbol.asyncDispose]();
  await using third = persons.take("a", makePerson);
  expect(third.person, "one session is left").toBe(other.person);
  await other[Symbol.asyncDispose]();
  await third[Symbol.asyncDispose]();
  await using fresh = persons.take("a", makePerson);
  expect(fresh.person, "all sessions have ended").not.toBe(one.person);
});

test("sessions without a key share nothing", async () => {
  const persons = new SharedPersons();
  await using one = persons.take(undefined, makePerson);
  await using other = persons.take(undefined, makePerson);
  expect(one.person).not.toBe(other.person);
});
