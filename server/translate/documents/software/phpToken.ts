/**
 * A token of PHP: a gap, a remark, a string in single or in double quotes without them, the begin of a heredoc, an
 * arrow, a word, or any other sign.
 */
export const phpToken =
	/(\s+)|(\/\/[^\n]*|#(?!\[)[^\n]*|\/\*[\s\S]*?\*\/)|'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"|(<<<[^\n]*)|(=>)|([A-Za-z_\x80-\uffff][\w\x80-\uffff]*)|([\s\S])/y;
