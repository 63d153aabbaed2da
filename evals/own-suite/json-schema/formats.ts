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

/** Values of other types pass, as with all keywords. Formats that are not here check nothing. */
export const formats: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  date: ofText(Format.IsDate),
  time: ofText((text) => Format.IsTime(text)),
  'date-time': ofText(Format.IsDateTime),
  duration: ofText(Format.IsDuration),
  uri: ofText(Format.IsUri),
  'uri-reference': ofText(Format.IsUriReference),
  url: ofText((text) => /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text)),
  email: ofText(Format.IsEmail),
  hostname: ofText((text) => Format.IsHostname(text.replace(/\.$/, ''))),
  ipv4: ofText(Format.IsIPv4),
  ipv6: ofText(Format.IsIPv6),
  regex: ofText(Format.IsRegex),
  uuid: ofText((text) => Format.IsUuid(text.replace(/^urn:uuid:/i, ''))),
  'json-pointer': ofText(Format.IsJsonPointer),
  int32: ofBits(32),
  int64: ofBits(64),
};
