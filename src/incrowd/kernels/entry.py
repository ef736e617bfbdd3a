"""Kernels that Python calls are optimized as a whole; those that only kernels call are not.

numba optimizes every function and makes machine code of it, links it into each of its callers, and
does both again there. Here a function that is compiled because another calls it is only lowered to
LLVM's code; what Python calls links all that it needs, and is optimized and kept once. The first
run on a machine takes half as long.

This needs numba's private parts. `compile.py` loads this module only if numba is of a release that
has them as expected here; with any other, kernels are compiled in numba's own way.
"""

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import bytecode, codegen, compiler, cpu, dispatcher, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

_LIBRARY: Any = codegen.JITCodeLibrary
_PIPELINE: Any = compiler
_COMPILER: Any = vars(dispatcher)["_FunctionCompiler"]
_DISPATCHER: Any = CPUDispatcher
_CONTEXT: Any = cpu.CPUContext
_FUNCTION: Any = bytecode.FunctionIdentity
_NAMED: Any = _FUNCTION.from_function.__func__


class _UncompiledLibrary(_LIBRARY):  # type: ignore[misc]
    """The code of a function that others call: no machine code is made of it."""

    _shared_module: Any

    def finalize(self) -> None:
        """Close the library: nothing is added from here on, and callers link its parts."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return its code with all that it calls as one module, as numba's own libraries do."""
        if self._shared_module is None:
            whole = self._own_module().clone()
            for library in _linked_libraries(self):
                whole.link_in(_module_of(library), preserve=True)
            self._shared_module = whole
        return self._shared_module

    def _own_module(self) -> Any:
        """Return its own code, marked so that definitions may come several times."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        return self._final_module


def _linked_libraries(library: Any) -> list[Any]:
    """Return all libraries that this one links, directly or not, callers first."""
    found: dict[Any, None] = {}

    def visit(caller: Any) -> None:
        for called in caller._linking_libraries:  # noqa: SLF001  numba has no other door
            if called not in found:
                if isinstance(called, _UncompiledLibrary):
                    visit(called)
                found[called] = None

    visit(library)
    # LLVM links of a library only what is missing by then: callers come before what they call.
    return list(found)[::-1]


def _module_of(library: Any) -> Any:
    """Return the code of a library: its own if it is a part, else that which numba links."""
    if isinstance(library, _UncompiledLibrary):
        return library._own_module()  # noqa: SLF001  a module's own class
    return library._get_module_for_linking()  # noqa: SLF001  numba has no other door


class _Whole(_LIBRARY):  # type: ignore[misc]
    """The code of a kernel that Python calls, with all that it calls."""

    def finalize(self) -> None:
        """Link all parts, optimize them together and make machine code, once."""
        self._codegen._check_llvm_bugs()  # noqa: SLF001  as numba's own does
        self._raise_if_finalized()
        for library in _linked_libraries(self):
            self._reload_init.update(library._reload_init)  # noqa: SLF001  as numba's own does
            self._final_module.link_in(_module_of(library), preserve=True)
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()


class _WholeCompiler(_COMPILER):  # type: ignore[misc]
    """Compiles what Python calls into a `_Whole`."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        """Compile the kernel for these types, with all that it calls, as one library."""
        flags = _PIPELINE.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        context = self.targetdescr.target_context
        context.refresh()  # numba's run-time library is no part of anything
        library = _Whole(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        given = (self.targetdescr.typing_context, context, self.py_func, args, return_type)
        kernel = f"{self.py_func.__module__}.{self.py_func.__qualname__} {args}"
        with _compile_called_as_parts(kernel):
            made = _PIPELINE.compile_extra(*given, flags, self.locals, library=library)
        for environment in made._find_referenced_environments():  # noqa: SLF001  numba has no other door
            library.codegen.set_env(environment.env_name, environment)
        return made


@contextmanager
def _compile_called_as_parts(kernel: str) -> Iterator[None]:
    """Compile what a kernel calls as parts, within the block; the compiler's lock must be held."""
    changed = {
        (codegen.JITCPUCodegen, "_library_class"): _UncompiledLibrary,
        (_FUNCTION, "from_function"): classmethod(_identify_functions(kernel)),
        (_CONTEXT, "get_executable"): _skip_for_parts(_CONTEXT.get_executable, _unique_builtin),
        (_CONTEXT, "create_cpython_wrapper"): _skip_for_parts(_CONTEXT.create_cpython_wrapper),
        (_CONTEXT, "create_cfunc_wrapper"): _skip_for_parts(_CONTEXT.create_cfunc_wrapper),
    }
    before = {(owner, name): vars(owner)[name] for owner, name in changed}
    try:
        for (owner, name), value in changed.items():
            setattr(owner, name, value)
        yield
    finally:
        for (owner, name), value in before.items():
            setattr(owner, name, value)


class _Uncallable:
    """Stands for a function of which no machine code is made."""


def _unique_builtin() -> Any:
    """Return a new built-in function, which nobody calls: numba tells overloads apart by it."""
    return _Uncallable().__sizeof__


def _identify_functions(kernel: str) -> Callable[[Any, Any], Any]:
    """Return the method that names functions compiled for a kernel, by names of this kernel alone.

    Errors name the module of a function, not the folder it was compiled in. numba numbers functions
    from 1 on in each process and links by these numbers; as a process loads what others compiled, a
    number here begins with a digest of the kernel.
    """
    first, numbers = hashlib.sha256(kernel.encode()).hexdigest()[:16], count(1)

    def identify(kind: Any, function: Any) -> Any:
        found = _NAMED(kind, function)
        found.filename = f"{found.modname.replace('.', '/')}.py"
        found.unique_id = f"{first}n{next(numbers)}"
        found.unique_name = f"{found.func_qualname}${found.unique_id}"
        return found

    return identify


def _skip_for_parts(method: Any, instead: Callable[[], Any] = lambda: None) -> Callable[..., Any]:
    """Return a method of numba's context that for the library of a part calls only `instead`."""

    def call(context: Any, library: Any, *args: Any, **named: Any) -> Any:
        if isinstance(library, _UncompiledLibrary):
            return instead()
        return method(context, library, *args, **named)

    return call


class KernelEntry(_DISPATCHER):  # type: ignore[misc]
    """A kernel that Python calls. Kernels that call it get its `inner` twin, compiled as a part."""

    def __init__(self, kernel: Callable[..., Any], store: Any) -> None:
        self.inner: Any = numba.njit(nogil=True)(kernel)
        options = self.inner.targetoptions
        super().__init__(py_func=kernel, targetoptions=options)
        self._compiler = _WholeCompiler(kernel, self.targetdescr, options, {}, _PIPELINE.Compiler)
        self._cache = store

    @property
    def _numba_type_(self) -> Any:
        """The type by which kernels that call this one link its `inner` twin."""
        return types.Dispatcher(self.inner)

    def compile(self, sig: Any) -> Any:
        """Compile for these types, or load what was compiled before; `Busy` as in `Store`."""
        with global_compiler_lock, _pause_garbage_collection():
            try:
                return super().compile(sig)
            finally:
                self._cache.unlock()

    def is_compiled(self, sig: Any) -> bool:
        """Whether the kernel is loaded for these types, or kept in a file."""
        return sig in self.overloads or self._cache.is_kept(sig)


def strip_kernel(made: Any) -> tuple[Any, ...]:
    """Return a compiled kernel as a tuple for numba's cache, without what nobody needs again.

    No kernel links it, so the names of what it defines take the place of its code for linking.
    `made` loses its type maps.
    """
    library, described = made.library, made.fndesc
    described.typemap = described.calltypes = None
    code = (library._get_compiled_object(), _module_of_names(library._final_module))  # noqa: SLF001  as numba's own does
    parts = (described, made.environment, made.signature, made.objectmode, made.lifted)
    environments = tuple(made._find_referenced_environments())  # noqa: SLF001  numba has no other door
    return ((library.name, "object", code), *parts, "", made.reload_init, environments)


def _module_of_names(module: Any) -> bytes:
    """Return, as bitcode, a module that defines the names that this one exports, and no code."""
    unseen = (llvm.Linkage.private, llvm.Linkage.internal)
    found = [*module.functions, *module.global_variables]
    kept = [one.name for one in found if not one.is_declaration and one.linkage not in unseen]
    lines = (f'@"{_escape_llvm_name(name)}" = global i8 0' for name in kept)
    return bytes(llvm.parse_assembly("\n".join(lines)).as_bitcode())


def _escape_llvm_name(name: str) -> str:
    """Return a name as it stands in LLVM's text, with two hex digits for special characters."""
    return "".join(c if c.isascii() and c not in '"\\' else f"\\{ord(c):02x}" for c in name)


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Pause garbage collection within the block: of millions of objects made few are garbage."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
