/** The tools that the providers of a promptfoo configuration offer. */
import type { Tool } from '../document.ts';
import type { Path } from '../fault.ts';
import { maxTools } from '../limits.ts';
import { type Fields, fieldsOf, isFields } from '../exact-json.ts';
import { listed } from './promptfoo-files.ts';
import { lose, type Source } from './promptfoo-source.ts';

/** Those of the first provider that has some. */
export function toolsIn(config: Fields, source: Source): readonly Tool[] {
  const field = config['providers'] === undefined ? 'targets' : 'providers';
  const given: unknown = config[field];
  const providers: readonly unknown[] = Array.isArray(given) ? given : [given];
  const [first = [], ...others] = providers
    .map((provider, at) => toolsOf(settingsOf(provider), [field, at], source))
    .filter((tools) => tools.length > 0);
  if (others.some((tools) => JSON.stringify(tools) !== JSON.stringify(first)))
    lose(source, [field], 'tools', 'Providers offer different ones; those of the first are imported.');
  return first;
}

/** Of `{ id, config }`, or `{ "openai:gpt-5": { config } }`. */
function settingsOf(provider: unknown): Fields {
  const only = isFields(provider) && provider['config'] === undefined ? Object.values(provider)[0] : provider;
  return fieldsOf(fieldsOf(only)['config']);
}

function toolsOf(settings: Fields, path: Path, source: Source): readonly Tool[] {
  const tools: Tool[] = [];
  for (const field of ['tools', 'functions'])
    for (const { value, path: place, source: own } of listed(
      { value: settings[field], path: [...path, 'config', field], source },
      field,
    )) {
      const tool = toolOf(value);
      const isOther =
        tool !== null && tools.length < maxTools && !tools.some(({ name }) => name === tool.name);
      if (isOther) tools.push(tool);
      else
        lose(
          own,
          place,
          'tool',
          `It must be a function with another name, and at most ${maxTools} are offered.`,
        );
    }
  return tools;
}

/** In the form of OpenAI or Anthropic. */
function toolOf(given: unknown): Tool | null {
  const own = isFields(given) && isFields(given['function']) ? given['function'] : given;
  if (!isFields(own)) return null;
  const { name, description, parameters = own['input_schema'] } = own;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) return null;
  return {
    name,
    ...(typeof description === 'string' ? { description: description.slice(0, 4_000) } : {}),
    ...(isFields(parameters) ? { parameters } : {}),
  };
}
