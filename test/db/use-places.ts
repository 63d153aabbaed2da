/** Places for stores that are not yet migrated, which are removed after the tests of a file. */
import { afterAll } from 'bun:test';
import type { DatabaseSetting } from '#db/database.ts';
import type { Dialect } from '#db/dialect.ts';
import { createPlace, type StorePlace } from '#test/harness/stores.ts';

export function usePlaces(): (dialect: Dialect) => Promise<DatabaseSetting> {
  const places: StorePlace[] = [];
  afterAll(() => Promise.all(places.map((one) => one.remove())));
  return async (dialect) => {
    const place = await createPlace(dialect);
    places.push(place);
    return place.setting;
  };
}
