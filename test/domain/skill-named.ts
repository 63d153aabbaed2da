/** What an agent publishes as a skill when a test is about its name or description only. */
export function skillNamed(name: string, description = 'Text') {
  return { name, description, repoUrl: 'https://git.example/a', manifestUrl: null };
}
