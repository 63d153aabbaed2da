import { expect, test } from 'bun:test';
import { levels } from '#evals/week/dials.ts';
import { createRandom } from '#evals/suite/random.ts';
import { bestOrders, type Pair } from '#evals/week/store/best-orders.ts';
import {
  closeDay,
  dayOf,
  judge,
  openStore,
  showPercent,
  type StoreRoom,
} from '#evals/week/store/store-room.ts';
import { canOrder, demandOn, leftOver, shelf, type StoreTerms } from '#evals/week/store/terms.ts';
import { makeWeek } from '#evals/week/week.ts';
import { drawSeeds } from '../suite/draw-seeds.ts';

const names = [
  ['BK221', 'oak lamp'],
  ['TR905', 'felt rug'],
] as const;

function open(seed: string, days = 15, loss = 0.0005): StoreRoom {
  return openStore(createRandom(seed, 'store'), [names[0], names[1]], { days, loss });
}

type Policy = (room: StoreRoom) => Pair;

function run(room: StoreRoom, order: Policy): StoreRoom {
  return dayOf(room) === null ? room : run(closeDay(room, order(room)).room, order);
}

const best: Policy = (room) => bestOrders(room.terms).best(dayOf(room) ?? 0, room.stock);

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Orders the mean demand that this delivery must cover, less the stock expected to be left. */
const reorder: Policy = ({ terms, stock, past }) => {
  const day = past.length + 1;
  if (!canOrder(terms, day) || day === terms.days) return [0, 0];
  const until = canOrder(terms, day + 1) ? [day + 1] : [day + 1, day + 2];
  const [one = 0, other = 0] = terms.products.map((product, index) => {
    const left = Math.max(0, (stock[index] ?? 0) - mean(demandOn(product, day)));
    const wanted = until.reduce((sum, own) => sum + mean(demandOn(product, own)), 0);
    return Math.max(0, Math.round((wanted - left) / product.pack));
  });
  const fitting = Math.min(one, terms.lorry.packs);
  return [fitting, Math.min(other, terms.lorry.packs - fitting)];
};

/** The realized profit of a simulation whose days are all closed. */
function profitOf({ terms, demand, past, stock }: StoreRoom): number {
  const days = past.map(({ day, stock: had, packs }) => {
    const lorry = packs[0] + packs[1] > 0 ? terms.lorry.cost : 0;
    return terms.products.reduce((sum, product, index) => {
      const sold = Math.min(had[index] ?? 0, demand[day - 1]?.[index] ?? 0);
      const left = leftOver(product, (had[index] ?? 0) - sold);
      const bought = (packs[index] ?? 0) * product.pack * product.cost;
      return sum + sold * product.price - left * product.storage - bought;
    }, -lorry);
  });
  const rest = terms.products.reduce((sum, { left_worth: worth }, at) => sum + worth * (stock[at] ?? 0), 0);
  return days.reduce((sum, day) => sum + day, rest);
}

/** The same products, with the same demand in all weeks. */
function alike({ products }: StoreTerms): StoreTerms['products'] {
  const [first, second] = products;
  return [
    { ...first, demand_percent: [] },
    { ...second, demand_percent: [] },
  ];
}

/** The value of a day by exhaustive search: slow, but independent of the tables under test. */
function tried(terms: StoreTerms, day: number, stock: Pair): number {
  const [first, second] = terms.products;
  if (day > terms.days) return stock[0] * first.left_worth + stock[1] * second.left_worth;
  const counts = canOrder(terms, day) ? Array.from({ length: terms.lorry.packs + 1 }, (_, n) => n) : [0];
  const orders = counts.flatMap((one) => counts.map((other): Pair => [one, other]));
  const values = orders
    .filter(([one, other]) => one + other <= terms.lorry.packs)
    .map((packs) => {
      const results = demandOn(first, day).flatMap((wanted) =>
        demandOn(second, day).map((alsoWanted) => {
          const demand: Pair = [wanted, alsoWanted];
          const next = terms.products.map((product, at) => {
            const left = leftOver(product, Math.max(0, (stock[at] ?? 0) - (demand[at] ?? 0)));
            return Math.min(shelf, left + (packs[at] ?? 0) * product.pack);
          }) as unknown as Pair;
          const own = { ...terms, days: day };
          const past = [{ day, stock, packs }];
          const today = {
            terms: own,
            loss: 0,
            demand: Array.from({ length: day }, () => demand),
            stock: [0, 0] as Pair,
            past,
          };
          return profitOf(today) + tried(terms, day + 1, next);
        }),
      );
      return mean(results);
    });
  return Math.max(...values);
}

test('the best orders match an exhaustive search', () => {
  for (const seed of drawSeeds('store tries', 3)) {
    const { terms } = open(seed);
    const short = terms.products.map((product) => ({
      ...product,
      past_demand: product.past_demand.map((past) => past.slice(0, 2)),
    })) as unknown as StoreTerms['products'];
    const small: StoreTerms = { ...terms, products: short, days: 2, lorry: { ...terms.lorry, packs: 3 } };
    for (const stock of [
      [0, 0],
      [9, 4],
      [31, shelf],
    ] as const) {
      const [day, value] = [1, bestOrders(small).valueOf(1, stock)];
      expect([seed, value.toFixed(6)]).toEqual([seed, tried(small, day, stock).toFixed(6)]);
      const order = bestOrders(small).best(day, stock);
      expect(bestOrders(small).valueWith(day, stock, order)).toBeCloseTo(value, 6);
    }
  }
});

test('the best orders earn the expected profit on average, and luck does not affect the verdict', () => {
  const [seed = ''] = drawSeeds('store profit', 1);
  const { terms } = open(seed);
  const orders = bestOrders(terms);
  const promised = orders.valueOf(1, [terms.products[0].start, terms.products[1].start]);
  const rooms = Array.from({ length: 200 }, (_, at) => {
    const random = createRandom(seed, `demand ${at}`);
    const drawn = terms.products.map((product) => (day: number) => random.pick(demandOn(product, day)));
    const demand = Array.from({ length: terms.days }, (_, index) => drawn.map((own) => own(index + 1)));
    const room = { ...open(seed), terms, demand: demand as unknown as readonly Pair[] };
    return run(room, ({ stock, past }) => orders.best(past.length + 1, stock));
  });
  const profits = rooms.map(profitOf);
  const deviation = Math.sqrt(mean(profits.map((own) => (own - mean(profits)) ** 2)) / profits.length);
  expect(Math.abs(mean(profits) - promised)).toBeLessThan(4 * deviation);
  expect(Math.max(...rooms.map((room) => judge(room).lost))).toBeLessThan(1e-9);
});

test('the demand of a day is that of its weekday, changed by the percentage of its week, and a lorry is missing once a week', () => {
  const [seed = ''] = drawSeeds('store weeks', 1);
  const [product] = open(seed, 30).terms.products;
  const past = [[3, 5, 0], [1], [1], [1], [10]];
  const own = { ...product, past_demand: past, demand_percent: [100, 130, 50] };
  expect([1, 5, 6, 10, 11, 15].map((day) => demandOn(own, day))).toEqual([
    [3, 5, 0],
    [10],
    [4, 7, 0],
    [13],
    [2, 3, 0],
    [5],
  ]);
  for (const each of drawSeeds('store lorries', 5)) {
    const { terms } = open(each, 30);
    expect([each, terms.noLorry.map((day) => Math.ceil(day / 5))]).toEqual([each, [1, 2, 3, 4, 5, 6]]);
    expect(terms.products.map(({ demand_percent: percents }) => percents.length)).toEqual([6, 6]);
  }
});

test('simple rules each lose more than any level allows', () => {
  const rooms = Object.values(levels).flatMap(({ store }) => store ?? []);
  const most = Math.max(...rooms.map(({ loss }) => loss));
  const lazy: Record<string, Policy> = {
    reorder,
    nothing: () => [0, 0],
    'two packs of each': ({ terms, past }) => (canOrder(terms, past.length + 1) ? [2, 2] : [0, 0]),
    'the best orders for weeks that are all alike': ({ terms, stock, past }) =>
      bestOrders({ ...terms, products: alike(terms) }).best(past.length + 1, stock),
  };
  const seeds = drawSeeds('store rules', Number(process.env['SUITE_RUNS'] ?? '3'));
  const means = rooms.map(({ days }) => {
    const losses = Object.entries(lazy).map(([name, policy]) => {
      const lost = seeds.map((seed) => judge(run(open(seed, days), policy)).lost);
      for (const [at, seed] of seeds.entries())
        expect([name, days, seed, (lost[at] ?? 0) > most]).toEqual([name, days, seed, true]);
      return [name, showPercent(mean(lost))];
    });
    return { days, ...Object.fromEntries(losses) };
  });
  // The guide to agent runs states these.
  console.table(means);
});

test('one clearly bad order fails the simulation, and the verdict names its day and the best order', () => {
  for (const seed of drawSeeds('store slip', 5)) {
    const { terms } = open(seed);
    const wrongDay = [7, 8, 9].find((day) => canOrder(terms, day)) ?? 0;
    const slip = run(open(seed), (room) => {
      if (dayOf(room) !== wrongDay) return best(room);
      const orders = bestOrders(terms);
      const full: Pair = [terms.lorry.packs, 0];
      const isWorse =
        orders.valueWith(wrongDay, room.stock, full) < orders.valueWith(wrongDay, room.stock, [0, 0]);
      return isWorse ? full : [0, 0];
    });
    const { lost, worst, right, isOver } = judge(slip);
    expect([seed, lost > slip.loss, right, worst.length, isOver]).toEqual([seed, true, 14, 1, true]);
    expect(worst[0]).toMatch(
      new RegExp(
        String.raw`^day ${wrongDay}: BK221 \d, TR905 0 packs, best BK221 \d, TR905 \d packs \([\d.]+%\)$`,
      ),
    );
  }
});

test('the simulation accepts one order per day, and a rejected call changes nothing', () => {
  const [seed = ''] = drawSeeds('store calls', 1);
  const week = makeWeek(seed, { size: 'small', tasks: 2, levels: [7, 1] });
  /** Retries while the system is unavailable. */
  const call = (tool: string, args: unknown) => {
    let result = week.call(tool, args);
    while (result['error'] === 'unavailable') result = week.call(tool, args);
    return result;
  };
  week.present();
  const { terms } = week.world.store ?? open(seed);
  const [first, second] = terms.products.map(({ product_id }) => product_id);
  const without = terms.noLorry[0] ?? 0;
  const before = week.world.store;
  const packs = (...counts: number[]) =>
    counts.map((count, at) => ({ product_id: at === 0 ? first : second, packs: count }));
  const wrong = [
    [{ day: 2, packs: [] }, 'wrong_day'],
    [{ day: 1, packs: [{ product_id: 'XX000', packs: 1 }] }, 'not_found'],
    [{ day: 1, packs: [...packs(1), ...packs(1)] }, 'invalid_arguments'],
    [{ day: 1, packs: packs(-1) }, 'invalid_arguments'],
    [{ day: 1, packs: packs(1.5) }, 'invalid_arguments'],
    ...(without === 1 ? [] : [[{ day: 1, packs: packs(4, 4) }, 'too_many_packs'] as const]),
  ] as const;
  for (const [args, error] of wrong) {
    let result = call('store_order', args);
    while (result['error'] === 'timeout') result = call('store_order', args);
    expect(result['error']).toBe(error);
    expect(week.world.store).toBe(before);
  }
  for (let day = 1; day <= terms.days; day += 1) {
    const args = { day, packs: day === without ? packs(1) : [] };
    if (day === without) {
      let result = call('store_order', args);
      while (result['error'] === 'timeout') result = call('store_order', args);
      expect(result['error']).toBe('no_lorry');
    }
    while (week.world.store?.past.length === day - 1) call('store_order', { day, packs: [] });
    expect(week.world.store?.past.length).toBe(day);
  }
  expect(call('store_read', {})['note']).toBe('All days are closed.');
  week.call('task_finish', { message: 'Done.' });
  expect(week.verdicts[0]?.missed.find(({ what }) => what.startsWith('store room'))?.done).toMatch(
    /^the orders lose \d/,
  );
  // The task of level 1 has no simulation.
  expect(week.present()?.level).toBe(1);
  expect(call('store_read', {})['error']).toBe('no_simulation');
});

test('what the report and the store room miss comes first, because a run keeps only some of many faults', () => {
  const week = makeWeek(drawSeeds('store idle', 1)[0] ?? '', { size: 'small', tasks: 1, levels: [8] });
  week.call('task_finish', { message: 'Nothing.' });
  const [report, room] = week.verdicts[0]?.missed ?? [];
  expect(report?.done).toBe('no report was sent');
  expect(room?.done).toBe(`only 0 of ${levels[8].store?.days} days were closed`);
});
