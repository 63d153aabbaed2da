/** Every limit of the skills depot (interface.md "Limits"), in code points. */

export const skillNameLengthMax = 60;
export const skillDescriptionLengthMax = 500;
export const skillUrlLengthMax = 300;
