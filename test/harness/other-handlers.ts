/** The routes of the hub with other handlers, for tests of the edge around them. */
import { type AnyElysia, Elysia } from 'elysia';
import { hubModules } from '#api/routes.ts';

type Route = AnyElysia['routes'][number];

/** Work before the handler is left out. */
export function withOtherHandlers(handlerOf: (route: Route) => Route['handler']): readonly AnyElysia[] {
  const module = new Elysia();
  for (const route of hubModules.flatMap(({ routes }) => routes)) {
    const { detail, ...hooks } = route.hooks;
    const { prepare: _, ...facts } = detail['x-facts'];
    module.route(route.method, route.path, handlerOf(route), {
      ...hooks,
      detail: { ...detail, 'x-facts': facts },
    });
  }
  return [module];
}
