/** The query parameter `format` of endpoints that also return Markdown. */
import { Type, type TObject } from 'typebox';
import { object } from './object.ts';
import { oneOf } from './values.ts';

export const formatParameter = () =>
  oneOf(['json', 'md'], { description: '`md` returns Markdown, as `Accept: text/markdown` does.' });

export function addFormat(query: TObject | undefined): TObject {
  return object({ ...query?.properties, format: Type.Optional(formatParameter()) });
}
