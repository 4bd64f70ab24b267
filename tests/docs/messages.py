"""The messages of the sources: what stands in the literals that errors, notes and findings are made of, with … for what
varies. A literal is one if an exception or a function such as fail() is given it, or if it has the shape of all errors,
`what is wrong: what to do`, and is not a help text."""
import re

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/|\#include[^\n]*)
  | (?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
  | (?P<text>"(?:\\.|[^"\\\n])*")
  | (?P<character>'(?:\\.|[^'\\\n])+')
  | (?P<number>\d[\w.']*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<space>\s+)
  | (?P<scope>::)
  | (?P<other>.)
""", re.VERBOSE | re.DOTALL)
TAKES_MESSAGES = re.compile(r"\w*Error|PeerLost|Aborted|MessageTooLarge|invalid_argument|runtime_error|print_error|"
                            r"end_with_error|advice|reason|why|what_to_do|(refuse|fail|throw|abort|problem|warn)\w*")
TAKES_HELP = re.compile(r"add(_\w+)?|line|over|against_work|size|log|join|counted|sentence|emplace_back")
SHAPE = re.compile(r"[\w}'\")\]…]: [a-z\-<{…`'(]")
FIELD = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
# What these print is not an error: reports, answers and drawings.
NO_MESSAGES = re.compile(r"tools/(report/|version\.cpp|host_abilities|launch/report/report_screen|estimate/answers|trace_command/trace_command|"
                         r"tune/advice_text|wan/(bed/bed|stats_answer)|watch/view|programs/(\w+/\w+_arguments|npy_header))")
RESULT = re.compile(r"^(matmul|fft2d|jacobi|dataflow|run|bitonic_sort|lbsp): |^<|\n$|^\{\}: \{\}")


def unescaped(text):
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t", "r": "\r"}.get(match[1], match[1]), text)


def tokens(source):
    """(kind, text) of each token; literals that stand side by side are one, as for the compiler."""
    found = []
    for match in TOKEN.finditer(source):
        kind = next(name for name in TOKEN.groupindex if name != "mark" and match[name] is not None)
        text = match.group()
        if kind in ("comment", "space"):
            continue
        if kind == "text":
            text = unescaped(text[1:-1])
            if found and found[-1][0] == "text":
                found[-1] = ("text", found[-1][1] + text)
                continue
        found.append((kind, text))
    return found


class Frame:
    """What stands between a bracket and its other half: who is given it, and the expression that is being read."""

    def __init__(self, callee, opening):
        self.callee, self.opening = callee, opening
        self.parts, self.joined, self.first = [], False, True
        self.target = ""  # the variable that the expression is for

    def end_expression(self):
        """Its text, and whether it is the first in the frame that has one."""
        parts, joined, first = self.parts, self.joined, self.first
        self.parts, self.joined = [], False
        if not any(kind == "text" for kind, _ in parts):
            return None
        self.first = False
        if not joined:
            parts = [part for part in parts if part[0] == "text"]
        texts = []
        for kind, text in parts:
            texts.append(text if kind == "text" else "{}")
        return re.sub(r"(\{\})+", "{}", "".join(texts)), first

    def add(self, kind, text):
        if kind == "text" or (kind == "other" and text == "+"):
            self.joined |= kind == "other"
            if kind == "text":
                self.parts.append((kind, text))
        elif not self.parts or self.parts[-1][0] == "text":
            self.parts.append(("gap", ""))


def expressions(source):
    """(text, is it the first of its call, those that are given it, from the innermost) of each with a literal."""
    stack, last = [Frame("", "{")], ("", "")
    for kind, text in tokens(source):
        if kind == "other" and text in "({[":
            callee = last[1] if last[0] == "name" else ""
            stack[-1].add("gap", "")
            stack.append(Frame(callee, text))
        elif kind == "other" and (text in ")}],;?:" or text == "="):
            ended = stack[-1].end_expression()
            if ended:
                yield ended[0], ended[1] or stack[-1].target != "", callees(stack)
            if text == "=" and last[0] == "name":
                stack[-1].target = last[1]
            elif text in ",;":
                stack[-1].target = ""
            if text in ")}]" and len(stack) > 1:
                stack.pop()
        elif not (kind == "name" and text == "return"):
            stack[-1].add(kind, text)
        last = (kind, text)


def callees(stack):
    """Up to the block that the call stands in."""
    names = [stack[-1].target]
    for frame in reversed(stack):
        if frame.opening == "{" and not TAKES_MESSAGES.fullmatch(frame.callee):
            break
        names.append(frame.callee)
    return names


def shown(text):
    """As it is seen on a screen, with … for what varies."""
    text = text.replace("{{", "\0").replace("}}", "\1")
    text = FIELD.sub("…", text)
    text = re.sub(r"\s+", " ", text.replace("\0", "{").replace("\1", "}")).strip()
    return text.removeprefix("lbsp: ")


def words(text):
    return [word for word in text.split() if re.search("[A-Za-z]{2}|^a$", word)]


def messages_of_code(source):
    for text, first, givers in expressions(source):
        seen = shown(text)
        thrown = any(TAKES_MESSAGES.fullmatch(name) for name in givers)
        has_shape = SHAPE.search(seen) and len(words(seen)) >= 3
        if RESULT.search(text) and not text.startswith("lbsp: "):
            continue
        if text.startswith("lbsp: ") and not has_shape:
            continue
        is_help = any(TAKES_HELP.fullmatch(name) for name in givers) and not thrown
        if (thrown and first and len(words(seen)) >= 3) or (has_shape and not is_help):
            yield seen


def messages_of_script(source):
    """Those of shell scripts: what fail, or echo with lbsp's name, is given."""
    for quoted in re.findall(r'(?:\bfail|\becho) "((?:\\.|[^"\\])*)"', source):
        if "fail \"" + quoted in source or quoted.startswith("lbsp: "):
            text = re.sub(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|\$[*@]", "…", quoted.replace("\\n", " "))
            if SHAPE.search(text) and words(text):
                yield shown(text.replace('\\"', '"'))


def messages(root):
    """By file, from the root of the tree: its messages."""
    found = {}
    for layer in ("model", "transport", "lbsp", "algorithms", "tools"):
        for file in sorted((root / layer).rglob("*")):
            name = str(file.relative_to(root))
            if NO_MESSAGES.match(name) or not file.is_file():
                continue
            if file.suffix in (".cpp", ".hpp"):
                here = messages_of_code(file.read_text(encoding="utf-8"))
            elif file.suffix in (".sh", ".in"):
                here = messages_of_script(file.read_text(encoding="utf-8"))
            else:
                continue
            here = list(dict.fromkeys(here))
            if here:
                found[name] = here
    return found
