/** Sources of patterns for marks that a letter follows, or that stand in a text by other names. */

/** After a conversion of printf: a unit that is written without a blank, `%dpx`, `%sms`. */
export const unitAhead =
	'(?=(?:px|pt|em|dp|sp|ms|min|sec|[smhd]|[kKMGT]i?[Bb]|[BkKMG]|fps|k?Hz|km|cm|mm|kg|st|nd|rd|th|x)(?![A-Za-z]))';

/** Tags of HTML whose brackets are written as references, as in strings that a program makes HTML of. */
export const spelledTag =
	'&lt;\\/?(?:a|b|big|blockquote|br|cite|code|div|em|font|h[1-6]|i|img|li|ol|p|small|span|strike|strong|sub|sup|tt|u|ul)(?:\\s[^<>&\\n]{0,200})?\\/?(?:&gt;|>)';
