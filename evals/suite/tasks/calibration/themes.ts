/**
 * The themes of dossiers. Each theme has the same relations in its own words: `{x}` is the entity, `{y}` another one,
 * `{n}` a number and `{p}` a person. Statements have no capital letter and no full stop, so that they can be quoted.
 */
import { drawStyle } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import data from './themes.json' with { type: 'json' };

export interface NumberAttribute {
  /** States the number of an entity. */
  readonly text: readonly string[];
  /** Sounds like the number but is another one. */
  readonly near: readonly string[];
  /** "How many …?" for one entity, or for two together. */
  readonly question: readonly string[];
  readonly together: readonly string[];
}

export interface Theme {
  readonly heading: readonly string[];
  /** How an entity is called, with its `{name}`. */
  readonly entity: string;
  /** What an entity is, such as "ship". */
  readonly noun: string;
  readonly numbers: readonly NumberAttribute[];
  /** Who runs the entity, and somebody who does not. */
  readonly head: readonly string[];
  readonly helper: readonly string[];
  /** Descriptions of an entity; the second kind ends with `{x}`, so that it can hold another description. */
  readonly headedBy: readonly string[];
  readonly followedBy: readonly string[];
  /** The one other entity that an entity follows. */
  readonly follows: readonly string[];
}

export const themes: readonly Theme[] = data;

/**
 * A theme in the words of one writer. All themes are equally likely: they are alike in size, so a program that knows
 * some of them should be lost as often as possible.
 */
export function drawTheme(random: Random): Theme {
  const theme = random.pick(themes);
  const few = (texts: readonly string[]) => drawStyle(random, texts, 3);
  return {
    ...theme,
    numbers: theme.numbers.map(({ text, near, question, together }) => ({
      text: few(text),
      near: few(near),
      question: few(question),
      together: few(together),
    })),
    head: few(theme.head),
    helper: few(theme.helper),
    headedBy: few(theme.headedBy),
    followedBy: few(theme.followedBy),
    follows: few(theme.follows),
  };
}
