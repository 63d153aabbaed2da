/** docs/settings.md lists exactly the settings that the hub reads, each with its default and its rule. */
import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { type SettingRule, SettingsReader } from '#runtime/settings/settings-reader.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { settingNames } from '#runtime/settings/setting-names.ts';

interface ReadSetting {
  readonly fallback: unknown;
  readonly rule: SettingRule<unknown>;
}

interface Entry {
  /**
   * The values in backticks: the default, and if there is a second one, the default on a public hub (or a wildcard
   * host).
   */
  readonly defaults: readonly string[];
  readonly rule: string;
}

/** What `parseSettings` reads through the reader on a hub that listens on `host`. */
function settingsRead(host: string): ReadonlyMap<string, ReadSetting> {
  const read = spyOn(SettingsReader.prototype, 'read');
  try {
    parseSettings({ HOST: host });
    return new Map(read.mock.calls.map(([name, fallback, rule]) => [name, { fallback, rule }]));
  } finally {
    read.mockRestore();
  }
}

function rowsOf(page: string): ReadonlyMap<string, Entry> {
  const rows = new Map<string, Entry>();
  const items = page.replaceAll('\n  ', ' ').matchAll(/^- `([A-Z_]+)` \((.*?); default (.*?)\): /gm);
  for (const [, setting = '', rule = '', defaults = ''] of items) {
    expect([setting, rows.has(setting)]).toEqual([setting, false]);
    rows.set(setting, {
      defaults: [...defaults.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value),
      rule: rule.replaceAll('\\', ''),
    });
  }
  return rows;
}

function isUnset(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

let rows: ReadonlyMap<string, Entry>;
beforeAll(async () => {
  rows = rowsOf(await Bun.file(join(projectFolder, 'docs', 'settings.md')).text());
});

test('the page has every setting that the hub reads, and no other', () => {
  expect([...rows.keys()].toSorted()).toEqual([...settingNames()].toSorted());
  expect(rows.size).toBeGreaterThan(40);
});

describe.each(['127.0.0.1', '0.0.0.0'])('on a hub that listens on %s', (host) => {
  const settings = settingsRead(host);
  const column = host === '0.0.0.0' ? 1 : 0;

  test('every default on the page is the one in the code', () => {
    for (const [name, { fallback, rule }] of settings) {
      const { defaults = [] } = rows.get(name) ?? {};
      const shown = defaults[column] ?? defaults[0];
      const expected = name === 'HOST' ? '127.0.0.1' : fallback;
      if (shown === undefined) expect([name, fallback, isUnset(fallback)]).toEqual([name, fallback, true]);
      else expect([name, rule.parse(shown)]).toEqual([name, expected]);
    }
  });

  test('every rule on the page is the one in the code', () => {
    for (const [name, { rule }] of settings) {
      // Elsewhere API processes cannot share a port, so there may be only one.
      if (name === 'API_PROCESSES' && process.platform !== 'linux') continue;
      expect([name, rows.get(name)?.rule]).toEqual([name, rule.rule.replace(/^be /, '')]);
    }
  });
});

test('DATA_DIR has the default that the page shows', () => {
  const [shown = ''] = rows.get('DATA_DIR')?.defaults ?? [];
  expect(parseSettings({ DATA_DIR: shown })).toEqual(parseSettings({}));
});
