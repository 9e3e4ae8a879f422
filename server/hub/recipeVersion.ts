/** Grows when the same source gives other files: a model of an earlier recipe is built again when it is asked for. */
export const recipeVersion = 3;
