// The calls of BSPlib under the names that a bsp.h or mcbsp.h of another library gives them. Its types may
// differ from ours (an int where we pass 64 bits), so a program that was compiled with it must not run.
// Whoever refers to one of these names gets this file from the library, and with it a reference to a symbol
// that is nowhere: the linker's error says what is wrong.
extern "C" {

void this_program_was_compiled_with_a_bsp_h_or_mcbsp_h_that_is_not_lbsp_s_remove_it_from_beside_the_source();

#define LBSP_FOREIGN(name)                                                                                   \
  void name() {                                                                                              \
    this_program_was_compiled_with_a_bsp_h_or_mcbsp_h_that_is_not_lbsp_s_remove_it_from_beside_the_source(); \
  }

LBSP_FOREIGN(bsp_init)
LBSP_FOREIGN(bsp_begin)
LBSP_FOREIGN(bsp_end)
LBSP_FOREIGN(bsp_nprocs)
LBSP_FOREIGN(bsp_pid)
LBSP_FOREIGN(bsp_time)
LBSP_FOREIGN(bsp_sync)
LBSP_FOREIGN(bsp_abort)
LBSP_FOREIGN(bsp_push_reg)
LBSP_FOREIGN(bsp_pop_reg)
LBSP_FOREIGN(bsp_put)
LBSP_FOREIGN(bsp_hpput)
LBSP_FOREIGN(bsp_get)
LBSP_FOREIGN(bsp_hpget)
LBSP_FOREIGN(bsp_direct_get)
LBSP_FOREIGN(bsp_set_tagsize)
LBSP_FOREIGN(bsp_send)
LBSP_FOREIGN(bsp_hpsend)
LBSP_FOREIGN(bsp_qsize)
LBSP_FOREIGN(bsp_get_tag)
LBSP_FOREIGN(bsp_move)
LBSP_FOREIGN(bsp_hpmove)

}  // extern "C"
