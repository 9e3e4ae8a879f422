/** Functions that look for words inside of a cell. */
const insideCells =
	/\b(?:SEARCHB?|FINDB?|LEFTB?|RIGHTB?|MIDB?|REPLACEB?|SUBSTITUTE|TEXTBEFORE|TEXTAFTER|TEXTSPLIT|REGEX)\s*\(/i;

/**
 * What formulas, filters, tables and lists of a workbook compare cells with. In another language they would count and
 * colour something else, so cells with it stay.
 */
export class ComparedWords {
	/** In lower case, as all comparisons are. */
	readonly #whole = new Set<string>();
	readonly #parts = new Set<string>();
	/** Texts of cells that stay, each once. */
	readonly found = new Set<string>();

	/** @param value of a filter or a name: `Paid`, or a condition as `COUNTIF` has it: `<>Paid`, `*paid*` */
	add(value: string): void {
		const words = value.trim().toLowerCase();
		const compared = words.replace(/^(?:<>|[<>]=?|=)/, '').trim();
		this.#whole.add(words).add(compared);
		if (compared.includes('*')) for (const part of compared.split('*')) this.#addPart(part);
	}

	/** @param formula with its literals between quotes */
	addFormula(formula: string): void {
		const isInside = insideCells.test(formula);
		for (const [, literal = ''] of formula.matchAll(/"((?:[^"]|"")*)"/g)) {
			this.add(literal);
			if (isInside) this.#addPart(literal);
			// A list of choices is one literal with commas.
			else for (const one of literal.split(',')) this.add(one);
		}
	}

	/** Whether a cell with these words is compared with something, so that it stays. */
	has(cell: string): boolean {
		const words = cell.trim().toLowerCase();
		const isCompared =
			this.#whole.has(words) || [...this.#parts].some((part) => words.includes(part));
		if (isCompared) this.found.add(cell.trim());
		return isCompared;
	}

	#addPart(part: string): void {
		const words = part.trim().toLowerCase();
		if (/\p{L}{2}|\p{Script=Han}/u.test(words)) this.#parts.add(words);
	}
}
