export { formatDuration, parseDuration, roundDuration, second } from "./duration.ts";
export { formatTime } from "./format-time.ts";
export { GoTime, unixTime, zeroTime } from "./go-time.ts";
export { parseTime } from "./parse-time.ts";
export { durationValue, timeOf, timeValue } from "./time-value.ts";
export { fixedZone, utc } from "./zone.ts";
export { loadZone, localZone } from "./zone-database.ts";
