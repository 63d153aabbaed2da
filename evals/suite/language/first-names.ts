/** Common first names. None is part of another, and none is an English word that could be mistaken for prose. */
export const firstNames: readonly string[] = (
  'Agnes Boris Carla Dmitri Edith Farid Greta Henrik Imani Jorge Katya Liam Mireille Nadia Oscar Petra Quentin Rosa ' +
  'Stefan Tamsin Ulrich Vera Wanda Xenia Yusuf Zelda Bertha Cedric Dolores Emeka Fiona Gustav Hilda Ivo Judith Kofi ' +
  'Leonie Marek Noor Otto Priya Rufus Selma Tobias Ursula Viktor Willem Yara'
).split(' ');
