import { type ScoreJson, scoreJsonVersion } from './score-json-schema.ts';

/** Whether the stored JSON of a scorecard has this version's format, which only `renderJson` writes. */
export function isScoreJson(
  scoreJson: Readonly<Record<string, unknown>>,
): scoreJson is ScoreJson & typeof scoreJson {
  return scoreJson['schema_version'] === scoreJsonVersion;
}
