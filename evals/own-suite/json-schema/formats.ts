/** The formats of JSON Schema, each checked in linear time. */
import { Format } from 'typebox/format';
import { decimalIn, isNumber } from '../exact-json.ts';
import type { JsonValue } from '../graders/read-json.ts';

const ofText =
  (holds: (text: string) => boolean) =>
  (value: JsonValue): boolean =>
    typeof value !== 'string' || holds(value);

const ofBits =
  (bits: number) =>
  (value: JsonValue): boolean => {
    const decimal = decimalIn(value);
    if (decimal === null) return !isNumber(value);
    const unit = 10n ** BigInt(decimal.scale);
    const whole = decimal.digits / unit;
    return decimal.digits % unit === 0n && BigInt.asIntN(bits, whole) === whole;
  };

/** The library wrongly refuses longer texts, such as images as data URIs. */
const checkedMax = 10_000;
const uriCharacters = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})*$/i;

const ofUri = (holds: (text: string) => boolean) =>
  ofText((text) => {
    if (text.length <= checkedMax) return holds(text);
    const start = text.slice(0, checkedMax).replace(/%.?$/, '');
    return holds(start) && uriCharacters.test(text.slice(start.length));
  });

/** JavaScript compares the names of all groups with each other, which takes quadratic time. */
const expressionMax = 1_000;

/** Values of other types pass, as with all keywords. Formats that are not here check nothing. */
export const formats: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  date: ofText(Format.IsDate),
  time: ofText((text) => Format.IsTime(text)),
  // The library also accepts the name of a time zone in brackets.
  'date-time': ofText((text) => !text.includes('[') && Format.IsDateTime(text)),
  duration: ofText(Format.IsDuration),
  uri: ofUri(Format.IsUri),
  'uri-reference': ofUri(Format.IsUriReference),
  url: ofText((text) => /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text)),
  email: ofText(Format.IsEmail),
  hostname: ofText((text) => Format.IsHostname(text.replace(/\.$/, ''))),
  ipv4: ofText(Format.IsIPv4),
  ipv6: ofText(Format.IsIPv6),
  regex: ofText((text) => text.length <= expressionMax && Format.IsRegex(text)),
  uuid: ofText((text) => Format.IsUuid(text.replace(/^urn:uuid:/i, ''))),
  'json-pointer': ofText(Format.IsJsonPointer),
  int32: ofBits(32),
  int64: ofBits(64),
};
