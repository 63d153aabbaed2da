/** The formats of JSON Schema. Each is checked in linear time: no expression here can read a character twice. */
import { RE2JS } from 're2js';
import type { JsonValue } from '../graders/read-json.ts';
import type { Decimal } from '../decimal.ts';
import { decimalIn, isNumber } from '../exact-json.ts';

type Format = (value: JsonValue) => boolean;

/** Values that are not texts pass, as with all keywords of texts. */
const ofText =
  (holds: (text: string) => boolean): Format =>
  (value) =>
    typeof value !== 'string' || holds(value);

const like = (expression: RegExp): Format => ofText((text) => expression.test(text));

const ofNumber =
  (holds: (value: Decimal) => boolean): Format =>
  (value) => {
    const decimal = decimalIn(value);
    return decimal === null ? !isNumber(value) : holds(decimal);
  };

const ofBits = (bits: number): Format =>
  ofNumber(({ digits, scale }) => {
    const unit = 10n ** BigInt(scale);
    return digits % unit === 0n && BigInt.asIntN(bits, digits / unit) === digits / unit;
  });

const daysOf = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

/** RFC 3339, section 5.6, and only days that exist. */
function isDate(text: string): boolean {
  const [year = 0, month = 0, day = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).slice(1).map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

/** Second 60 is a leap second, which only the last minute of a UTC day has. */
function isTime(text: string): boolean {
  const match = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text);
  if (match === null) return false;
  const [hour = 0, minute = 0, second = 0] = match.slice(1, 4).map(Number);
  const [zoneHour = 0, zoneMinute = 0] = match.slice(5, 7).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || zoneHour > 23 || zoneMinute > 59) return false;
  if (second <= 59) return true;
  const offset = (match[4] === '-' ? -1 : 1) * (60 * zoneHour + zoneMinute);
  const minutesOfDay = 24 * 60;
  return (
    second === 60 && (60 * hour + minute - offset + 2 * minutesOfDay) % minutesOfDay === minutesOfDay - 1
  );
}

function isDateTime(text: string): boolean {
  return /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

function isDuration(text: string): boolean {
  if (!/\d/.test(text) || text.endsWith('T')) return false;
  return /^P(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/.test(text);
}

const uriCharacters = String.raw`(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})`;
const uri = new RegExp(String.raw`^[a-z][a-z0-9+\-.]*:${uriCharacters}*$`, 'i');
const uriReference = new RegExp(`^${uriCharacters}*$`, 'i');

function isUriReference(text: string): boolean {
  return uriReference.test(text) && text.indexOf('#') === text.lastIndexOf('#');
}

function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text);
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

function isHostname(text: string): boolean {
  if (text.length > 254) return false;
  return text
    .replace(/\.$/, '')
    .split('.')
    .every((part) => label.test(part));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [name, host] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  return /^[\w!#$%&'*+/=?^`{|}~.-]{1,64}$/.test(name) && !/^\.|\.\.|\.$/.test(name) && isHostname(host);
}

function isIpv4(text: string): boolean {
  const parts = text.slice(0, 16).split('.');
  return (
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  );
}

/** URL reads the address of a host, and every form that it accepts in brackets is one of RFC 4291. */
function isIpv6(text: string): boolean {
  return text.length <= 45 && /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`);
}

/** As ECMA-262 reads it. RE2 has neither look-around nor back-references. */
function isExpression(text: string): boolean {
  if (text.length > 1_000) return false;
  try {
    RE2JS.compile(text);
    return true;
  } catch {
    return false;
  }
}

/** Others check nothing. */
export const formats: Readonly<Record<string, Format>> = {
  date: ofText(isDate),
  time: ofText(isTime),
  'date-time': ofText(isDateTime),
  duration: ofText(isDuration),
  uri: ofText((text) => uri.test(text) && isUriReference(text)),
  'uri-reference': ofText(isUriReference),
  url: ofText(isUrl),
  email: ofText(isEmail),
  hostname: ofText(isHostname),
  ipv4: ofText(isIpv4),
  ipv6: ofText(isIpv6),
  regex: ofText(isExpression),
  uuid: like(/^(?:urn:uuid:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i),
  'json-pointer': like(/^(?:\/(?:[^~/]|~[01])*)*$/),
  int32: ofBits(32),
  int64: ofBits(64),
};
