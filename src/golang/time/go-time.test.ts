import { afterEach, describe, expect, test } from "vitest";
import { fc } from "#seeded";
import { FunctionError } from "../value/go-function.ts";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";
import { formatTime } from "./format-time.ts";
import { unixTime } from "./go-time.ts";
import { parseTime } from "./parse-time.ts";
import { loadZone, localZone } from "./zone-database.ts";
import { utc } from "./zone.ts";

const zoneNames = [
  "UTC",
  "Europe/Berlin",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Africa/Casablanca",
];
const second = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 - 86_400 });

test("a time that names its offset is read back as it was written", () => {
  const layout = "2006-01-02 15:04:05.999999999 -07:00:00";
  fc.assert(
    fc.property(second, fc.nat(999_999_999), fc.constantFrom(...zoneNames), (unix, nanosecond, name) => {
      const zone = loadZone(name) ?? utc;
      const text = formatTime(unixTime(BigInt(unix), zone, nanosecond), layout);
      const read = parseTime(layout, text, zone);
      expect([Number(read.unix), read.nanosecond]).toEqual([unix, nanosecond]);
    }),
  );
});

test("a period of a zone contains the moment that it was looked up for, and is the same from its first second on", () => {
  fc.assert(
    fc.property(fc.integer({ min: -4e9, max: 2_100_000_000 }), fc.constantFrom(...zoneNames), (unix, name) => {
      const zone = loadZone(name) ?? utc;
      const { start, end, offset } = zone.periodAt(unix);
      expect(start <= unix && unix < end).toBe(true);
      expect(zone.periodAt(start).offset).toBe(offset);
    }),
  );
});

describe("the local zone", () => {
  const before = process.env["TZ"];
  afterEach(() => {
    process.env["TZ"] = before;
  });

  test("the local zone is the one that TZ names at the moment", () => {
    process.env["TZ"] = "Asia/Tokyo";
    expect(formatTime(unixTime(0n, localZone()), "15:04 MST")).toBe("09:00 JST");
    process.env["TZ"] = "UTC";
    expect(formatTime(unixTime(0n, localZone()), "15:04 MST")).toBe("00:00 UTC");
  });
});

describe("durations", () => {
  test("a duration is read back as it was written", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), (nanoseconds) => {
        expect(parseGoDuration(formatGoDuration(nanoseconds))).toBe(nanoseconds);
      }),
    );
  });

  test.each(["", "-", "1", "1d", "1 h", ".s", "9223372036854775808ns", "1e3s", "9".repeat(100_000)])(
    "%j is not a duration",
    (text) => {
      expect(() => parseGoDuration(text)).toThrow(FunctionError);
    },
  );
});
