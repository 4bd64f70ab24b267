"""What a C++ source declares at namespace scope, found without a compiler: brackets are paired, and what stands between two
semicolons is told by its first words. Enough for sources that clang-format has seen and that compile."""
import collections
import re

import messages

# own: no other source that is compiled by itself would see it. parameters: of a function, else None.
Declaration = collections.namedtuple("Declaration", "line namespace name parameters own")
# A token, or "()", "[]", "{}" or "<>" for a bracket with the items up to its other half.
Item = collections.namedtuple("Item", "text line inner")

OTHER_HALF = {"(": ")", "[": "]", "{": "}"}
TYPES = ("struct", "class", "union", "enum")
SPECIFIERS = ("constexpr", "constinit", "const", "static", "inline", "thread_local")
NO_NAME = ("static_assert", "extern", "friend", "namespace", "template")
NO_FUNCTION = ("requires", "noexcept", "decltype", "alignas")
BUILT_IN = ("int", "char", "long", "short", "unsigned", "signed", "double", "float", "bool", "void", "auto", "const")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def is_word(text):
    return re.match(r"[A-Za-z_]\w*$|operator\b", text) is not None


def texts_of(items):
    return [item.text for item in items]


def tokens(source):
    """(text, line) of each that is neither a comment nor for the preprocessor."""
    source = DIRECTIVE.sub(lambda found: "\n" * found[0].count("\n"), source)
    line = 1
    for found in messages.TOKEN.finditer(source):
        if found["comment"] is None and found["space"] is None:
            yield found[0], line
        line += found[0].count("\n")


class Reader:
    """Goes through a source once."""

    def __init__(self, source):
        self.tokens = list(tokens(source))
        self.at = 0

    def ends(self, closing="}"):
        return self.at >= len(self.tokens) or self.tokens[self.at][0] == closing

    def item(self):
        text, line = self.tokens[self.at]
        self.at += 1
        if text == "operator":
            text += self.operator_words()
        if text not in OTHER_HALF:
            return Item(text, line, [])
        inner = []
        while not self.ends(OTHER_HALF[text]):
            inner.append(self.item())
        self.at += 1
        return Item(text + OTHER_HALF[text], line, inner)

    def operator_words(self):
        """What is between `operator` and its parameters, if any."""
        begin = self.at
        if self.tokens[begin][0] == "(":
            self.at += 2
        while not self.ends("(") and not self.ends(";"):
            self.at += 1
        return "".join(text for text, _ in self.tokens[begin:self.at])

    def statement(self):
        items = []
        while not self.ends():
            items.append(self.item())
            if items[-1].text == ";":
                return items[:-1]
            if items[-1].text == "{}" and is_body(texts_of(items[:-1])):
                break
        return items

    def opened_scope(self):
        """The words before its brace, if a namespace or an extern "C" begins here."""
        words = []
        for text, _ in self.tokens[self.at:]:
            if text in ("{", "}", ";", "=", "("):
                break
            words.append(text)
        if text != "{" or not ("namespace" in words or words == ["extern", '"C"']):
            return []
        self.at += len(words) + 1
        return words

    def declarations(self, namespace=(), own=False):
        """Up to the end of the namespace."""
        while not self.ends():
            scope = self.opened_scope()
            if scope:
                inner = [word for word in scope if is_word(word) and word not in ("inline", "namespace", "extern")]
                yield from self.declarations([*namespace, *inner], own or scope == ["namespace"])
                self.at += 1
            else:
                yield from self.declarations_of_statement("::".join(namespace), own)

    def declarations_of_statement(self, namespace, own):
        line = self.tokens[self.at][1]
        for name, parameters, is_own in declared(self.statement()):
            yield Declaration(line, namespace, name, parameters, own or is_own)


def declarations(source):
    return list(Reader(source).declarations())


def is_body(before):
    """Whether braces behind these are a function's body. A semicolon ends the statement of any others."""
    if "()" not in before or "=" in before[:before.index("()")] or is_type(before):
        return False
    parameters = before.index("()")
    has_initialisers = ":" in before[parameters:]
    return not has_initialisers or before[-1] in ("()", "{}")


def is_type(texts):
    kept = [text for text in texts if text not in SPECIFIERS]
    return len(kept) > 0 and kept[0] in TYPES


def with_template_arguments(items):
    """With each <…> as one item; not what is behind an equals sign, where < may be less."""
    found = []
    depth = 0
    for place, item in enumerate(items):
        if item.text == "=" and depth == 0:
            return found + items[place:]
        if item.text == "<":
            if depth == 0:
                found.append(Item("<>", item.line, []))
            depth += 1
        if depth:
            found[-1].inner.append(item)
            depth -= item.text == ">"
        else:
            found.append(item)
    return found


def worded(items):
    """As one text, the same for the same tokens."""
    text = ""
    for item in items:
        word = item.text
        if word == "<>":
            word = worded(item.inner)
        elif word in ("()", "[]", "{}"):
            word = word[0] + worded(item.inner) + word[1]
        elif word == ",":
            word = ", "
        text += " " + word if re.search(r"[\w>&*]$", text) and re.match(r"\w", word) else word
    return text


def parameter_types(items):
    """Of a function's parameters: without their names, their default values and what no caller sees."""
    parameters = [[]]
    for item in with_template_arguments(items):
        if item.text == ",":
            parameters.append([])
        else:
            parameters[-1].append(item)
    return f"({', '.join(map(parameter_type, parameters))})"


def parameter_type(items):
    texts = texts_of(items)
    items = items[:texts.index("=")] if "=" in texts else items
    name = len(items) - 1
    while name > 0 and items[name].text == "[]":
        name -= 1
    if name > 0 and is_word(items[name].text) and items[name].text not in BUILT_IN and \
            items[name - 1].text not in ("::", "const", "typename"):
        items = items[:name] + items[name + 1:]
    if not {"&", "*", "[]"} & set(texts_of(items)):
        items = [item for item in items if item.text != "const"]
    return worded(items)


def declared(items):
    """(name, parameters of a function, whether it says that it is the file's own) of each name that a statement declares."""
    items = with_template_arguments(items)
    template = ""
    while items and items[0].text == "template":
        template += worded(items[1:2]).replace("typename", "class")
        items = items[2:]
    while items and items[0].text == "[]":  # [[nodiscard]]
        items = items[1:]
    texts = texts_of(items)
    if not texts or texts[0] in NO_NAME:
        return []
    if texts[0] in ("using", "concept"):
        return [(texts[1], None, False)] if texts[2:3] == ["="] else []
    if texts[0] == "typedef":
        return [(texts[-1], None, False)]
    if is_type(texts):
        return type_names(items, texts)
    parameters = place_of_parameters(texts)
    return value_names(texts) if parameters is None else function_name(items, texts, template, parameters)


def type_names(items, texts):
    """The defined type's, and those of an enum's values, if no class holds them. A type that is only named is none yet."""
    if "{}" not in texts:
        return []
    begin = next(place for place, text in enumerate(texts) if text in TYPES) + 1
    holds_values = texts[begin] in TYPES
    begin += holds_values
    names = [texts[begin]] if is_word(texts[begin]) and texts[begin + 1] not in ("::", "<>") else []
    if "enum" in texts and not holds_values:
        values = items[texts.index("{}")].inner
        names += [item.text for before, item in zip([Item(",", 0, []), *values], values) if before.text == ","]
    return [(name, None, False) for name in names]


def before_value(texts):
    return min((texts.index(text) for text in ("=", "{}", "[]") if text in texts), default=len(texts))


def place_of_parameters(texts):
    """Of a function's brackets; None if there is no function."""
    for place in range(1, before_value(texts)):
        if texts[place] == "()" and is_word(texts[place - 1]) and texts[place - 1] not in NO_FUNCTION:
            return place
    return None


def function_name(items, texts, template, parameters):
    """A function's, if it is no member."""
    name = parameters - 1
    if name > 0 and texts[name - 1] == "::":
        return []
    return [(texts[name], template + parameter_types(items[parameters].inner), "static" in texts[:name])]


def value_names(texts):
    """Those of constants and variables, if they are no members."""
    value = before_value(texts)
    if value < 2 or texts[value - 2] == "::" or not is_word(texts[value - 1]):
        return []
    names = [texts[value - 1]]
    for before, name, behind in zip(texts[value:], texts[value + 1:], texts[value + 2:]):
        if before == "," and is_word(name) and behind in ("=", "{}"):
            names.append(name)
    own = "inline" not in texts and bool({"static", "constexpr", "const"} & set(texts[:value]))
    return [(name, None, own) for name in names]
