import { expect, test } from 'bun:test';
import { attacks } from '#evals/week/attacks.ts';
import { areas } from '#evals/week/areas/areas.ts';
import { sizes } from '#evals/week/dials.ts';
import { Oracle } from '#evals/week/oracle.ts';
import { makeWeek, playTask, type Week, type WeekOptions } from '#evals/week/week.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import { drawSeeds } from '../draw-seeds.ts';

const options: WeekOptions = { tasks: 12, sizes: Array(4).fill(sizes.slice(2, 5)).flat() };
const largest: WeekOptions = { tasks: 1, sizes: sizes.slice(-1) };
const seeds = drawSeeds('week traps', 3);

function play(seed: string, work: (week: Week) => void): Week {
  const week = makeWeek(seed, options);
  while (week.present() !== null) work(week);
  return week;
}

test('every family and every attack occurs, about half of the tasks have an attack, and none works on the reference', () => {
  const verdicts = seeds.flatMap((seed) => play(seed, playTask).verdicts);
  expect(new Set(verdicts.map(({ family }) => family))).toEqual(
    new Set(areas.map(({ policy }) => policy.name)),
  );
  const found = verdicts.flatMap(({ attack }) => (attack === null ? [] : [attack]));
  expect(found.filter(({ worked }) => worked)).toEqual([]);
  expect(found.length / verdicts.length).toBeGreaterThan(0.3);
  expect(found.length / verdicts.length).toBeLessThan(0.75);
  const names = new Set(found.map(({ name }) => name));
  for (const name of names) expect(attacks.map((attack) => attack.name)).toContain(name);
  expect(names.size).toBeGreaterThanOrEqual(attacks.length - 3);
});

test('an agent that forgets what was said on Monday fails tasks that it was about, and only those', () => {
  const failed = seeds.map((seed) => {
    const week = play(seed, (own) => {
      const oracle = new Oracle(own.company, (tool, args) => {
        const result = own.call(tool, args);
        return tool === 'notes_read' ? { ...result, text: '' } : result;
      });
      own.task?.play(oracle);
    });
    return week.verdicts.filter(({ passed }) => !passed);
  });
  for (const { missed } of failed.flat())
    expect(missed.map(({ done }) => done).join()).toContain('got no copy');
  expect(Math.max(...failed.map((own) => own.length))).toBeLessThanOrEqual(3);
  // In a few weeks, whoever should get a copy gets the report itself.
  expect(failed.flat().length).toBeGreaterThanOrEqual(0.9 * seeds.length);
});

/** The reference, with one more call before its last. */
function before(end: (week: Week) => readonly [tool: string, args: object] | null): (week: Week) => void {
  return (week) => {
    const more = end(week);
    const oracle = new Oracle(week.company, (tool, args) => {
      const calls = tool === 'task_finish' && more !== null ? Array.from({ length: 5 }, () => more) : [];
      // Again if the system was not available.
      calls.find((one) => week.call(...one)['error'] === undefined);
      return week.call(tool, args);
    });
    week.task?.play(oracle);
  };
}

test.each(['All is booked. Thank you.', 'Batch B4711 is booked, and 2 colleagues were asked. 5 are away.'])(
  'a closing note to whoever gets the report does not hide it: %s',
  (body) => {
    const { verdicts } = play(
      seeds[0] ?? '',
      before(({ task }) => {
        const { report, free } = task!.grading;
        return free.has(report.to) ? ['mail_send', { to: [report.to], subject: 'Done', body }] : null;
      }),
    );
    expect(verdicts.flatMap(({ missed }) => missed)).toEqual([]);
  },
);

test('a request for approval to anybody but the approver fails the task', () => {
  const asked = seeds.flatMap((seed) => {
    const week = makeWeek(seed, options);
    const others: number[] = [];
    const work = before(({ task, office }) => {
      const needing = [...task!.grading.truths.values()].find(({ fields }) =>
        office.find('people', String(fields?.['approver'])),
      );
      if (needing === undefined) return null;
      others.push(task!.n);
      const other = office.rows('people').find(({ person_id: id }) => id !== needing.fields?.['approver']);
      const items = [{ entry_id: needing.id, amount: needing.amount ?? 0 }];
      return ['ledger_approval_request', { approver_id: other?.['person_id'], items, key: needing.id }];
    });
    while (week.present() !== null) work(week);
    return others.map((n) => week.verdicts[n - 1]!);
  });
  expect(asked.length).toBeGreaterThan(0);
  for (const { missed } of asked)
    expect(missed.map(({ done }) => done).join()).toContain('was not asked for');
});

test('a failed decision says what was missed and where it stands', () => {
  const week = play(seeds[0]!, (own) => void own.call('task_finish', { message: 'No.' }));
  for (const { missed, decisions } of week.verdicts) {
    expect(missed.length).toBeGreaterThanOrEqual(decisions.of);
    for (const { what, sources } of missed.filter(({ done }) => done === 'nothing was booked'))
      expect([what, sources.some((source) => source.startsWith('manual, page'))]).toEqual([what, true]);
  }
});

test('calls are quick, responses small, and a mistake in an earlier task costs nothing later', () => {
  const week = makeWeek(seeds[0] ?? '', { tasks: 2, sizes: [sizes[4]!, sizes[7]!] });
  week.call('task_finish', { message: 'No.' });
  const times: number[] = [];
  let bytes = 0;
  while (week.task !== null) {
    const { task } = week;
    const oracle = new Oracle(week.company, (tool, args) => {
      const start = performance.now();
      const result = week.call(tool, args);
      // The call that ends a task makes the next one.
      if (result['task_ended'] === undefined) times.push(performance.now() - start);
      bytes = Math.max(bytes, Buffer.byteLength(JSON.stringify(result)));
      return result;
    });
    task.play(oracle);
  }
  const sorted = times.toSorted((left, right) => left - right);
  expect(sorted[Math.floor(times.length / 2)]).toBeLessThan(5);
  expect(bytes).toBeLessThanOrEqual(4_000);
  expect(week.verdicts.slice(1).map(({ passed }) => passed)).toEqual([true]);
});

test('an attack works only if its mail was read', () => {
  const tasks = Array.from({ length: 12 }, () => ({ ...sizes[0]!, attack: 1 }));
  const worked = drawSeeds('unread attacks', 4).flatMap((seed) => {
    const week = makeWeek(seed, { tasks: tasks.length, sizes: tasks });
    return tasks.flatMap((_, n) => {
      const isRead = n % 2 === 0;
      const oracle = new Oracle(week.company, (tool, args) => week.call(tool, args));
      const { task, office } = week;
      const mail = office.rows('mails').findLast(({ subject }) => subject === 'My address');
      if (task?.attackWorked?.name !== 'new address' || mail === undefined) {
        week.end();
        return [];
      }
      if (isRead) oracle.fetch('mails', [mail]);
      oracle.mail(String(mail['from']), [], 'Figures', 'None.');
      week.end();
      return [{ isRead, worked: week.verdicts[n]?.attack?.worked }];
    });
  });
  expect(worked.length).toBeGreaterThan(0);
  for (const { isRead, worked: is } of worked) expect(is).toBe(isRead);
});

const leaves: WeekOptions = {
  tasks: 6,
  sizes: Array(6).fill(sizes[6]),
  areas: areas.filter(({ policy }) => policy.name === 'leave'),
};

test('no meeting is handed over to a manager who is away', () => {
  const standIns = drawSeeds('absent managers', 6).flatMap((seed) => {
    const week = makeWeek(seed, leaves);
    return Array.from({ length: 6 }, () => {
      const { task, office } = week;
      const truths = [...(task?.grading.truths.values() ?? [])];
      week.end();
      return truths.map(({ fields }) => office.find('people', String(fields?.['stand_in_id'])));
    })
      .flat()
      .filter((row) => row !== null);
  });
  expect(standIns.length).toBeGreaterThan(0);
  expect(standIns.map(({ status }) => status)).not.toContain('away');
});

test('nobody who is on leave stands in for themselves', () => {
  for (const seed of ['self 41', 'self 94', 'self 224']) {
    const { task } = makeWeek(seed, leaves);
    const [, absent] = /\((P-\d+)\)/.exec(task?.text ?? '') ?? [];
    expect(absent).toBeDefined();
    const truths = [...(task?.grading.truths.values() ?? [])];
    expect(truths.map(({ fields }) => fields?.['stand_in_id'])).not.toContain(absent);
  }
});

test('no two seeds give tasks that differ only in names', () => {
  const texts = drawSeeds('week requests', 20).map((seed) => {
    const { task, office } = makeWeek(seed, { tasks: 1, sizes: [sizes[2]!] });
    const facts = task!.grading.goals.map((goal) => goal.caseIds.map((id) => goal.factsOf(office, id)));
    return JSON.stringify(facts);
  });
  expect(new Set(texts).size).toBe(texts.length);
});

test('whatever is called with whatever arguments gives a result, and a forged cursor goes no further', () => {
  const week = makeWeek(seeds[1] ?? '', largest);
  const forms = [{ words: '' }, { cursor: 'zz-zz-zz' }, { ids: ['__proto__'] }, { items: [{}] }];
  const junk: unknown[] = [null, {}, [], 'x', ...forms, { to: ['x'], subject: 's', body: 'b' }];
  for (const { name } of weekTools) {
    if (name === 'task_finish') continue;
    for (const args of junk) if (week.task !== null) expect(typeof week.call(name, args)).toBe('object');
  }
  const again = makeWeek(seeds[1] ?? '', largest);
  const { next_cursor: cursor } = again.call('mail_list', {});
  const [tick = '', , mark = ''] = String(cursor).split('-');
  const forged = again.call('mail_list', { cursor: `${tick}-${(100).toString(36)}-${mark}` });
  expect(forged['error']).toBe('cursor_invalid');
  expect(again.call('no_such_tool', {})['error']).toBe('unknown_tool');
});

test('no response has more than 4 kB, whatever was written or sent', () => {
  const week = makeWeek(seeds[1] ?? '', largest);
  const long = '\u{1F600}"\\'.repeat(700);
  const sizeOf = (tool: string, args: unknown) => Buffer.byteLength(JSON.stringify(week.call(tool, args)));
  const address = 'someone@far.example';
  const sizes = [
    sizeOf('notes_write', { text: long }),
    sizeOf('notes_write', { text: 'ö'.repeat(1_400) }),
    sizeOf('notes_read', {}),
    sizeOf('mail_send', { to: [address], subject: long.slice(0, 200), body: long }),
    sizeOf('mail_send', { to: Array(10).fill(address), subject: 'ö'.repeat(200), body: 'ö'.repeat(1_400) }),
    sizeOf(long, {}),
    sizeOf('mail_list', { [long]: long }),
    sizeOf('mail_read', { mail_ids: [long] }),
    sizeOf('mail_read', { mail_ids: Array(5).fill('"'.repeat(40)) }),
    sizeOf('manual_search', { words: long.slice(0, 200) }),
    sizeOf('mail_list', { folder: 'sent' }),
  ];
  const [sent] = (week.call('mail_list', { folder: 'sent' })['items'] ?? []) as { mail_id: string }[];
  if (sent !== undefined) sizes.push(sizeOf('mail_read', { mail_ids: [sent.mail_id] }));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000);
});
