/**
 * The settings of tracing under OpenTelemetry's standard names. The SDK reads further ones itself: headers,
 * compression and certificates of the export (`OTEL_EXPORTER_OTLP_…`), and `OTEL_RESOURCE_ATTRIBUTES`.
 */
import type { SettingRule, SettingsReader } from './settings-reader.ts';
import { httpUrl, wholeNumber } from './rules.ts';

const protocols = ['http/protobuf', 'http/json'] as const;
const samplerNames = [
  'parentbased_always_on',
  'parentbased_traceidratio',
  'parentbased_always_off',
  'always_on',
  'traceidratio',
  'always_off',
] as const;

const timesMs = wholeNumber(1, 600_000);

export type TraceProtocol = (typeof protocols)[number];
export type TraceSampler = (typeof samplerNames)[number];

export interface TracingSettings {
  /** Where spans are posted. */
  readonly tracesUrl: string;
  readonly protocol: TraceProtocol;
  /** For one export including retries. */
  readonly timeoutMs: number;
  readonly sampler: TraceSampler;
  /** The share of traces that ratio samplers keep, from 0 to 1. */
  readonly samplerRatio: number;
  /** Null: named after the process. */
  readonly serviceName: string | null;
  /** How long spans are collected before they are exported. */
  readonly scheduleDelayMs: number;
}

/** @returns null if no endpoint is set, or tracing is disabled */
export function readTracing(reader: SettingsReader): TracingSettings | null {
  const isDisabled = reader.read('OTEL_SDK_DISABLED', false, flag);
  const base = reader.read('OTEL_EXPORTER_OTLP_ENDPOINT', null, httpUrl);
  const settings = {
    timeoutMs: reader.read('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, timesMs),
    protocol: reader.read('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf', oneOf(protocols)),
    sampler: reader.read('OTEL_TRACES_SAMPLER', 'parentbased_always_on', oneOf(samplerNames)),
    samplerRatio: reader.read('OTEL_TRACES_SAMPLER_ARG', 1, ratio),
    serviceName: reader.read('OTEL_SERVICE_NAME', null, serviceName),
    scheduleDelayMs: reader.read('OTEL_BSP_SCHEDULE_DELAY', 5_000, timesMs),
  };
  if (base === null || isDisabled) return null;
  return Object.freeze({ tracesUrl: `${base.replace(/(?<!\/)\/+$/, '')}/v1/traces`, ...settings });
}

const flag: SettingRule<boolean> = {
  rule: 'be true or false',
  parse: (text) => {
    const word = text.toLowerCase();
    return word === 'true' ? true : word === 'false' ? false : undefined;
  },
};

const ratio: SettingRule<number> = {
  rule: 'be a number from 0 to 1',
  parse: (text) => (/^(?:0|1|[01]?\.\d{1,15})$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
};

const serviceName: SettingRule<string> = {
  rule: 'be 1 to 100 characters on one line',
  parse: (text) => (text.length <= 100 && !/\p{Cc}/u.test(text) ? text : undefined),
};

function oneOf<const Word extends string>(words: readonly Word[]): SettingRule<Word> {
  return {
    rule: `be one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text),
  };
}
