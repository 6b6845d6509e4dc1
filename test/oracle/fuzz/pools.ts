import type { Sort } from "./functions.ts";

/** A list of strings, written with ¦ between them. */
export function pool(...lines: readonly string[]): readonly string[] {
  return lines.join("¦").split("¦");
}

/** Constants that are, or nearly are, what a sort of argument should be. */
export const pools: Partial<Record<Sort, readonly string[]>> = {
  regex: pool(
    "a+¦^.*$¦[a-z]+¦(\\w+)\\s(\\w+)¦(?i)ab¦(¦[¦x*¦\\d{2,3}¦a|b¦(?P<n>.)¦\\bA\\b¦^$¦\\pL+¦[^\\x00-\\x7F]¦.¦(a)(b)?",
    "(?s).¦\\x{1F600}¦a{1001}¦(?=a)¦[[:alpha:]]+¦a**¦(?U)a+¦¦\\¦(?m)^\\w¦[^a]¦a{,2}¦\\Qa.b\\E¦(?:a|b)+¦\\s+¦é",
    "\\p{Greek}",
  ),
  replacement: pool("$1¦${1}x¦$1x¦$$¦${n}¦x¦¦$0¦$¦$10¦${¦a$1b¦\\1¦$2$1"),
  layout: pool(
    "2006-01-02¦2006-01-02T15:04:05Z07:00¦Jan 2, 2006 at 3:04pm (MST)¦Monday¦Mon¦15:04:05.000¦.999999¦15:04:05.999",
    "_2¦__2¦002¦06¦1/2/06¦MST¦-07:00:00¦Z0700¦-07¦PM¦pm¦¦2006¦January¦03:04:05¦20060102¦5,000¦x2006x",
    "ISO 2006-01-02 MST -0700¦2 Jan¦Jan _2 2006",
  ),
  date: pool(
    "2020-02-29¦2021-12-31T23:59:59Z¦1999-1-1¦bad¦2020-13-01¦2020-02-30¦2021-06-01T12:00:00+02:00",
    "Jan 2, 2006 at 3:04pm (MST)¦20200101¦¦1970-01-01¦0001-01-01¦9999-12-31¦2021-03-28T02:30:00Z",
  ),
  zone: pool(
    "UTC¦Local¦¦Europe/Berlin¦America/New_York¦Asia/Kolkata¦Nope/Zone¦Etc/GMT+5¦Australia/Lord_Howe",
    "Africa/Casablanca¦utc¦Asia/Kathmandu¦America/St_Johns¦../etc",
  ),
  duration: pool("1h¦-1.5h¦2h45m¦90s¦1d¦100ms¦1h30m10.5s¦bad¦¦0¦1µs¦-720h¦300¦1e3s¦8760h"),
  version: pool(
    "1.2.3¦v1.2.3¦1.2¦1¦1.2.3-rc.1+meta¦1.2.3-alpha.beta¦01.2.3¦1.2.3.4¦¦x¦v2¦1.2.3-0¦1.2.3-01¦0.0.0",
    "18446744073709551616.0.0¦1.27.3-gke.100¦2.0.0-beta+exp.sha",
  ),
  constraint: pool(
    "1.2.3¦=1.2.3¦!=1.2.3¦>1.2¦>=1.2.3¦<2¦<=1.2.x¦~1.2.3¦~1¦^1.2.3¦^0.2.3¦^0.0.3¦1.x¦*¦¦1.2 - 1.4.5",
    ">=1.2, <2.0 || >3¦>= 1.2-0¦~> 1.2¦=>1¦==1¦bad¦> 1.2.3-beta¦>=1.27-0",
  ),
  path: pool("/a/b/c.txt¦a//b¦../x¦.¦¦/¦a.tar.gz¦.hidden¦a/¦/a/../b/./c¦//¦a\\b¦..¦a.b/c"),
  url: pool(
    "http://user:pass@host:8080/p/a?q=1&r=%20#frag¦//host/p¦mailto:x@y¦http://[::1]:80/¦%zz¦/p?x=y¦http://a b/¦",
    "http://ex.com/%2F?x=%20¦a:b¦http://h:port/¦http://host?q¦x¦http://ünï.de/ä?ö¦http://h/a;b=c,d¦HTTP://H/",
    "http:///p¦://x¦http://u@h¦http://h#a#b¦http://h/a//b/../c¦host:80",
  ),
  toml: pool(
    "¦a = 1¦a = 1.5\nb = true¦[t]\nx = 'y'¦a = [1, 2]¦[[l]]\na = 1\n[[l]]\na = 2¦a.b = 'c'¦a =¦a = 2020-01-01",
    'a = {b = 1}¦a = 1\na = 2¦a = """x\ny"""¦a = 0x1F¦a = inf¦"k k" = 1¦= 1',
  ),
  type: pool(
    "string¦int¦int64¦float64¦bool¦map¦slice¦ptr¦struct¦invalid¦interface {}¦nil¦map[string]interface {}",
    "[]interface {}¦*string¦[]string¦json.Number¦x¦",
  ),
  separator: pool(",¦¦ ¦-¦.¦::¦\n¦a¦é¦, "),
  template: pool(
    '{{ . }}¦{{ .text }}¦{{ bad¦{{ nope }}¦plain¦{{ range . }}[{{ . }}]{{ end }}¦{{ .a.b.c }}¦¦{{ include "one" . }}',
    '{{ template "one" . }}¦{{ define "two" }}x{{ . }}{{ end }}{{ template "two" 1 }}¦{{ tpl "{{ .text }}" . }}',
    '{{ $.map }}¦{{ define "one" }}new{{ end }}{{ include "one" . }}¦{{ .nope }}',
  ),
  name: pool("one¦one¦one¦one¦two¦nope"),
  base64: pool("aGVsbG8=¦aGVsbG8¦/+8=¦!!¦¦YQ==¦YWI=\n¦_-8="),
  base32: pool("NBSWY3DP¦nbswy3dp¦ME======¦1¦¦MFRA===="),
};
