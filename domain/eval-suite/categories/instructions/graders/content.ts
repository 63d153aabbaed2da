/**
 * Graders for detectable content and format: placeholders, postscript, bullets, highlights, sections, title.
 */
import { quote } from '../../../graders/grader.ts';
import { instructionGrader } from './instruction-grader.ts';

export const placeholderCount = instructionGrader<{ readonly count: number }>(
  'placeholder-count',
  ({ count }, reply) => {
    let found = 0;
    let open = -1;
    for (let position = 0; position < reply.length; position += 1) {
      const character = reply.charAt(position);
      if (character === '[') open = position;
      else if (character === '\n') open = -1;
      else if (character === ']' && open >= 0) {
        if (position > open + 1) found += 1;
        open = -1;
      }
    }
    return {
      passed: found >= count,
      expected: `at least ${count} placeholders in square brackets`,
      found,
    };
  },
);

export const postscript = instructionGrader<{ readonly marker: string }>(
  'postscript',
  ({ marker }, reply) => {
    const line = reply.split('\n').findLast((candidate) => candidate.trimStart().startsWith(marker));
    const passed = line !== undefined && line.trim().length > marker.length;
    return {
      passed,
      expected: `a postscript on a line that starts with ${quote(marker)}`,
      found: line === undefined ? 'none' : quote(line.trim()),
    };
  },
);

export const bulletCount = instructionGrader<{ readonly count: number }>(
  'bullet-count',
  ({ count }, reply) => {
    const found = reply.split('\n').filter((line) => /^(?:\* |- )/.test(line.trimStart())).length;
    return { passed: found === count, expected: `exactly ${count} bullet points`, found };
  },
);

/** Parts between single or double asterisks on one line. */
export const highlightCount = instructionGrader<{ readonly count: number }>(
  'highlight-count',
  ({ count }, reply) => {
    const found = reply.split('\n').reduce((sum, line) => sum + countHighlights(line), 0);
    return { passed: found >= count, expected: `at least ${count} highlighted parts`, found };
  },
);

/** Headings numbered from 1, each on its own line, in order. */
export const sectionCount = instructionGrader<{ readonly splitter: string; readonly count: number }>(
  'section-count',
  ({ splitter, count }, reply) => {
    let found = 0;
    for (const line of reply.split('\n')) {
      const heading = line.trim().replace(/^[#*_\s]{1,8}/, '');
      const wanted = `${splitter} ${found + 1}`;
      if (heading.startsWith(wanted) && !/^\d/.test(heading.slice(wanted.length))) found += 1;
    }
    return {
      passed: found === count,
      expected: `${count} sections headed ${quote(`${splitter} 1`)} and so on`,
      found,
    };
  },
);

export const title = instructionGrader<Readonly<Record<string, never>>>('title', (_parameters, reply) => {
  const found = reply.split('\n').find((line) => {
    const start = line.indexOf('<<');
    const end = line.lastIndexOf('>>');
    return start >= 0 && end >= 0 && line.slice(start + 2, end).trim() !== '';
  });
  return {
    passed: found !== undefined,
    expected: 'a title in double angle brackets',
    found: found === undefined ? 'none' : quote(found.trim()),
  };
});

function countHighlights(line: string): number {
  const runs = [...line.matchAll(/\*+/g)].map((run) => ({ start: run.index, length: run[0].length }));
  let count = 0;
  for (let position = 0; position + 1 < runs.length; position += 1) {
    const [opening, closing] = [runs[position], runs[position + 1]];
    if (opening === undefined || closing === undefined) continue;
    const between = line.slice(opening.start + opening.length, closing.start);
    if (opening.length > 2 || closing.length !== opening.length || between.trim() === '') continue;
    count += 1;
    position += 1;
  }
  return count;
}
